import type { ActionAnnotationRow, AnnotationLevel } from '../../db/tables/actions.ts'
import { commandOf, type StepCommand } from './commands.rules.ts'

/** An annotation without its task. */
type NewAnnotation = Omit<ActionAnnotationRow, 'task_id'>

/** Longest texts of an annotation, in characters. */
const maxMessageLength = 4096
const maxTitleLength = 255
const maxPathLength = 1024

/** Most annotations of one level of a step, and of all of a task. The counts of a step are exact when its runner reported its begin. */
export const annotationLimits = { ofLevel: 50, ofTask: 1000 }

/** Longest token of `::stop-commands::`, in characters. */
const maxStopTokenLength = 255

const levels: ReadonlySet<string> = new Set<AnnotationLevel>(['error', 'warning', 'notice'])

/** The annotations of lines of a log. */
interface FoundAnnotations {
  readonly annotations: readonly NewAnnotation[]
  /** The token that resumes commands after these lines; empty while they are obeyed. */
  readonly resumeToken: string
}

/**
 * Finds the annotations in consecutive lines of a log: `::error file=a,line=1::text` of a step, and `##[error]text` of a
 * runner. Lines between `::stop-commands::token` and `::token::` are texts.
 * @param mask masks the secrets of the task in a decoded text
 */
export function annotationsIn(
  lines: readonly string[],
  firstLine: number,
  { resumeToken, mask }: { readonly resumeToken: string; readonly mask: (text: string) => string },
): FoundAnnotations {
  const annotations: NewAnnotation[] = []
  let token = resumeToken
  for (const [at, line] of lines.entries()) {
    const command = commandOf(line) ?? runnerMessage(line)
    if (!command) continue
    if (token !== '') {
      if (command.name === token) token = ''
    } else if (command.name === 'stop-commands') token = command.value.toLowerCase().slice(0, maxStopTokenLength)
    else if (levels.has(command.name)) annotations.push(annotationOf(command, firstLine + at, mask))
  }
  return { annotations, resumeToken: token }
}

/** Parses a line that runners write themselves. */
function runnerMessage(line: string): StepCommand | undefined {
  const [, name, value] = /^##\[(error|warning|notice)\](.+)$/s.exec(line.slice(0, maxMessageLength * 2)) ?? []
  return name === undefined || value === undefined ? undefined : { name, properties: {}, value }
}

function annotationOf(
  { name, properties, value }: StepCommand,
  logLine: number,
  mask: (text: string) => string,
): NewAnnotation {
  const text = (given: string | undefined, maxLength: number): string =>
    mask(
      (given ?? '')
        .replaceAll('\0', '')
        .toWellFormed()
        .slice(0, maxLength * 2),
    )
      .slice(0, maxLength)
      .toWellFormed()
  const number = (given: string | undefined): number => (/^\d{1,9}$/.test(given ?? '') ? Number(given) : 0)
  const startLine = number(properties['line'])
  const startColumn = number(properties['col'])
  return {
    log_line: logLine,
    level: name as AnnotationLevel,
    path: pathIn(text(properties['file'], maxPathLength)),
    start_line: startLine,
    end_line: Math.max(startLine, number(properties['endline'])),
    start_column: startColumn,
    end_column: number(properties['endcolumn']) || startColumn,
    title: text(properties['title'], maxTitleLength),
    message: text(value, maxMessageLength),
  }
}

/** Returns a path in the repository. Steps in containers write paths below `/workspace/owner/repository`. */
const pathIn = (path: string): string => path.replace(/^\/workspace\/[^/]+\/[^/]+\//, '').replace(/^(?:\.\/+)+/, '')

/** Whether an annotation belongs to a file of the repository. Paths outside of it have no page. */
export const hasFile = ({ path }: Pick<ActionAnnotationRow, 'path'>): boolean =>
  path !== '' && !path.startsWith('/') && !/^[a-z]:|\\|(?:^|\/)\.\.?(?:\/|$)/i.test(path)
