import { mustDecide } from '../../lib/expression.ts'
import { compileGlob } from '../../lib/glob.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/** Properties in the API, named as in the file format. */
const shownKeys = ['charset', 'indent_style', 'indent_size', 'tab_width', 'end_of_line'] as const
export type EditorconfigProperties = { [Key in (typeof shownKeys)[number]]?: string }

/**
 * Whether a section applies to a file. A section without a slash matches names in any folder, `*` stops at
 * slashes, `{1..3}` is a range, a section that is malformed or too long applies to none (editorconfig.org, file format).
 */
function covers(section: string, path: string, budget: WorkBudget): boolean {
  const expanded = expandNumbers(section.replace(/^\//, ''))
  const target = section.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1)
  const glob = compileGlob(expanded, '/', budget)
  return !glob.isFaulty && mustDecide(budget, glob.match(target))
}

/** Measured cost of reading a character of a file, in microseconds. */
const characterUs = 0.05

/** Widest expanded range. */
const maxRange = 200

function expandNumbers(pattern: string): string {
  const range = /\{(-?\d{1,6})\.\.(-?\d{1,6})\}/.exec(pattern)
  if (!range) return pattern
  const [whole, first, last] = range as unknown as [string, string, string]
  const low = Math.min(Number(first), Number(last))
  const high = Math.min(Math.max(Number(first), Number(last)), low + maxRange)
  const numbers = Array.from({ length: high - low + 1 }, (_, index) => low + index)
  return pattern.replace(whole, `{${numbers.join(',')}}`)
}

/**
 * The properties of a file, by its path below the folder of an `.editorconfig`. Later sections win; `unset` removes a property.
 * @throws WorkTooCostly
 */
export function editorconfigOf(text: string, path: string, budget: WorkBudget): EditorconfigProperties {
  budget.take('processorUs', text.length * characterUs)
  const found: EditorconfigProperties = {}
  let isAbout = false
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) continue
    const section = /^\[(.*)\]$/.exec(trimmed)?.[1]
    if (section !== undefined) isAbout = covers(section, path, budget)
    else if (isAbout) takeProperty(found, trimmed)
  }
  if (found.indent_style === 'tab') found.indent_size ??= found.tab_width ?? 'tab'
  return found
}

function takeProperty(found: EditorconfigProperties, line: string): void {
  const separator = line.search(/[=:]/)
  const name = line.slice(0, Math.max(0, separator)).trimEnd().toLowerCase()
  const key = shownKeys.find((each) => each === name)
  if (!key) return
  const value = line
    .slice(separator + 1)
    .trimStart()
    .toLowerCase()
  if (value === 'unset' || value === '') delete found[key]
  else found[key] = value
}
