import type { VNode } from 'preact'
import type { CommitAnnotation } from '../../actions/logs/commit-annotations.service.ts'
import type { LineKey } from '../ui/diff/rows.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { logLinePath, runPath, type RepoNames } from './actions-paths.ts'
import { annotationLooks } from './annotation-looks.ts'
import { maxAnnotations, type LineAnnotations } from './line-annotations.ts'
import { workflowNameOf } from './status.tsx'
import { actionsTexts } from '../languages/texts.ts'

const texts = actionsTexts.reports

/** Annotations of a line that are shown unfolded. */
const maxUnfolded = 3
/** A longer message is folded, in characters and lines. */
const unfoldedMessage = { length: 280, lines: 4 } as const

/** Returns the annotations that belong below lines, by path and line. */
export function annotationsBelow(names: RepoNames, { at }: LineAnnotations): Map<string, Map<LineKey, VNode>> {
  const below = (lines: ReadonlyMap<number, readonly CommitAnnotation[]>) =>
    [...lines].map(([line, notes]): [LineKey, VNode] => [
      `R${line}`,
      <LineNotes {...names} line={line} notes={notes} />,
    ])
  return new Map([...at].map(([path, lines]) => [path, new Map(below(lines))]))
}

const LineNotes = ({
  line,
  notes,
  ...names
}: RepoNames & { readonly line: number; readonly notes: readonly CommitAnnotation[] }) => {
  const [shown, folded] = [notes.slice(0, maxUnfolded), notes.slice(maxUnfolded)]
  return (
    <div class="line-notes" role="group" aria-label={texts.atLine(line)}>
      {shown.map((note) => (
        <LineNote {...names} {...note} />
      ))}
      {folded.length === 0 ? null : (
        <details>
          <summary>{texts.moreAtLine(folded.length)}</summary>
          {folded.map((note) => (
            <LineNote {...names} {...note} />
          ))}
        </details>
      )}
    </div>
  )
}

const LineNote = ({ annotation, run, job, ...names }: RepoNames & CommitAnnotation) => {
  const { level, title, message } = annotation
  const { icon, tone } = annotationLooks[level]
  return (
    <div class={`line-note ${tone}`}>
      <span class={`run-status ${tone}`} title={texts.levels[level]}>
        <Icon name={icon} label={texts.levels[level]} />
      </span>
      <div class="line-note-text">
        {title === '' ? null : <strong>{title}</strong>}
        <Message text={message} />
      </div>
      <Link class="line-note-job" to={logLinePath(names, run, job, annotation.log_line)}>
        {job.name}
      </Link>
    </div>
  )
}

/** A message. A long one is folded behind its beginning. */
const Message = ({ text }: { readonly text: string }) => {
  const lines = text.split('\n')
  const isLong = text.length > unfoldedMessage.length || lines.length > unfoldedMessage.lines
  if (!isLong) return <p>{text}</p>
  const begin = (lines[0] ?? '').slice(0, unfoldedMessage.length / 2)
  return (
    <details>
      <summary>{begin}…</summary>
      <p>{text}</p>
    </details>
  )
}

/** Runs that are named beside a difference. */
const maxRuns = 3

/** The runs with annotations for a difference, which list all of them. */
export const AnnotatedRuns = ({
  annotations: { runs, isCut },
  ...names
}: RepoNames & { readonly annotations: LineAnnotations }) => (
  <>
    {runs.slice(0, maxRuns).map(({ run, counts }) => {
      const { icon, tone } = annotationLooks[counts.error > 0 ? 'error' : counts.warning > 0 ? 'warning' : 'notice']
      return (
        <Link class="button quiet small annotated-run" to={`${runPath(names, run)}#annotations`}>
          <span class={`run-status ${tone}`}>
            <Icon name={icon} />
          </span>
          {texts.ofRun(workflowNameOf(run), texts.counts(counts))}
        </Link>
      )
    })}
    {isCut ? <span class="muted small">{texts.onlyFirst(maxAnnotations)}</span> : null}
  </>
)
