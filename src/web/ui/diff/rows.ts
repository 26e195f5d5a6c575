import type { Hunk, PatchLine } from '../../../code/commits/patch.parse.ts'
import { perApplication } from '../../../access/per-application.ts'
import type { Cache } from '../../../lib/cache-budget.ts'
import { escapeHtml } from '../../../markup/html.ts'
import type { WorkBudget } from '../../../lib/work-budget.ts'
import { markRanges, wordMarks, type PairMarks, type Range } from './words.ts'

/** How a difference is laid out: one column, or old and new side by side. */
export type DiffLayout = 'unified' | 'split'

/** A place in a file: `L12` on the old side, `R12` on the new one. */
export type LineKey = `L${number}` | `R${number}`

/** Some rows as HTML, and what follows them. */
export interface Section {
  readonly html: string
  readonly rows: number
  /** The line that ends the section, when something is shown below it. */
  readonly after?: LineKey | undefined
}

export interface RowOptions {
  /** What the ids of lines begin with, such as `diff-3-`. */
  readonly prefix: string
  readonly layout: DiffLayout
  /** Lines of both sides as highlighted HTML; index 0 is line 1. */
  readonly highlighted?:
    | { readonly old?: readonly string[] | undefined; readonly new?: readonly string[] | undefined }
    | undefined
  /** Lines below which something is shown. */
  readonly breaksAt?: ReadonlySet<string>
  /** Returns the link that begins a comment on a line, from `plusLinks`. */
  readonly plusLink?: ((key: LineKey) => string) | undefined
  readonly kept?: KeptMarks | undefined
}

type HunkMarks = readonly (PairMarks | undefined)[]

/** Where the marks of words are kept: comparing lines is half of the work, and two blobs never change. */
export interface KeptMarks {
  readonly marks: Cache<string, HunkMarks>
  /** Names both blobs and how they are compared. */
  readonly name: string
}

/** The marks of hunks. */
export const marksOfHunks = perApplication((caches) =>
  caches.open<string, HunkMarks>('marks of words', {
    sizeOf: (marks, name) =>
      marks.reduce((sum, pair) => sum + 16 + 40 * ((pair?.old.length ?? 0) + (pair?.new.length ?? 0)), name.length),
  }),
)

/** Rows of one section. */
const sectionRows = 100
/** Characters of a line that are shown. */
const maxShown = 2000
/** Microseconds to make a row: for itself and each byte (measured: 4.5 of 20 characters, 55 of 2,000; split 6 and 78). */
const rowPriceUs = { row: 5, byte: 1 / 40 } as const

interface Cell {
  readonly line: PatchLine
  readonly marks: readonly Range[]
}

/** Both sides of a row. A kept line is on both. */
interface Pair {
  readonly old: Cell | undefined
  readonly new: Cell | undefined
}

/** The rows of a hunk; `isCut` when the page has no room for all of them. */
export interface HunkRows {
  readonly sections: readonly Section[]
  readonly isCut: boolean
}

/** Returns the rows of a hunk in sections of about 100. They are HTML, because a large difference has very many. */
export function hunkSections(hunk: Hunk, options: RowOptions, budget: WorkBudget): HunkRows {
  const pairs = pairsWithMarks(hunk, budget, options.kept)
  const rows = options.layout === 'split' ? splitRows(pairs, options) : unifiedRows(pairs, options)
  const sections: Section[] = []
  let html = ''
  let count = 0
  let isCut = false
  for (const row of rows) {
    const sizeBytes = Buffer.byteLength(row.html)
    budget.spend('processorUs', rowPriceUs.row + sizeBytes * rowPriceUs.byte)
    isCut = !budget.tryTake('outputBytes', sizeBytes)
    if (isCut) break
    html += row.html
    count += 1
    const after = row.keys.find((key) => options.breaksAt?.has(key))
    if (after === undefined && count < sectionRows) continue
    sections.push({ html, rows: count, after })
    // Both sides of a row may have something below it.
    for (const more of row.keys) {
      if (more !== after && options.breaksAt?.has(more)) sections.push({ html: '', rows: 0, after: more })
    }
    html = ''
    count = 0
  }
  if (count > 0) sections.push({ html, rows: count })
  return { sections, isCut }
}

/** Returns the pairs of a hunk with the marks that are kept, else with new ones. */
function pairsWithMarks(hunk: Hunk, budget: WorkBudget, kept: KeptMarks | undefined): Pair[] {
  const { oldBegin, oldCount, newBegin, newCount, lines } = hunk
  const name = `${kept?.name} ${oldBegin},${oldCount} ${newBegin},${newCount}`
  const known = kept?.marks.get(name)
  if (known !== undefined) {
    let at = 0
    return pairsOf(lines, () => known[at++])
  }
  const made: (PairMarks | undefined)[] = []
  const pairs = pairsOf(lines, (before, after) => {
    const marks = wordMarks(before, after, budget)
    made.push(marks)
    return marks
  })
  // What the budget refused may have marks the next time.
  if (made.length > 0 && !budget.refused.has('processorUs')) kept?.marks.set(name, made)
  return pairs
}

/** Puts removed lines beside the added lines that follow them. */
function pairsOf(
  lines: readonly PatchLine[],
  compare: (before: string, after: string) => PairMarks | undefined,
): Pair[] {
  const pairs: Pair[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] as PatchLine
    if (line.kind === 'kept') {
      const cell = { line, marks: [] }
      pairs.push({ old: cell, new: cell })
      at += 1
      continue
    }
    const removed = runOf(lines, at, 'removed')
    const added = runOf(lines, at + removed.length, 'added')
    at += removed.length + added.length
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      const [before, after] = [removed[row], added[row]]
      const marks = before && after ? compare(before.text, after.text) : undefined
      pairs.push({
        old: before && { line: before, marks: marks?.old ?? [] },
        new: after && { line: after, marks: marks?.new ?? [] },
      })
    }
  }
  return pairs
}

function runOf(lines: readonly PatchLine[], begin: number, kind: PatchLine['kind']): readonly PatchLine[] {
  let end = begin
  while (lines[end]?.kind === kind) end += 1
  return lines.slice(begin, end)
}

interface Row {
  readonly html: string
  readonly keys: readonly LineKey[]
}

/** Yields the rows; removed lines of a run come before the added ones. */
function* unifiedRows(pairs: readonly Pair[], options: RowOptions): Generator<Row> {
  let added: Cell[] = []
  for (const pair of pairs) {
    const isKept = pair.old !== undefined && pair.old === pair.new
    if (isKept) {
      for (const cell of added) yield unifiedRow(cell, options)
      added = []
    }
    if (pair.old) yield unifiedRow(pair.old, options)
    if (pair.new && !isKept) added.push(pair.new)
  }
  for (const cell of added) yield unifiedRow(cell, options)
}

function* splitRows(pairs: readonly Pair[], options: RowOptions): Generator<Row> {
  for (const pair of pairs) yield splitRow(pair, options)
}

const classes = { kept: '', added: ' class="added"', removed: ' class="removed"' } as const

const keyOf = (line: PatchLine): LineKey => (line.kind === 'removed' ? `L${line.old}` : `R${line.new}`)

function unifiedRow(cell: Cell, options: RowOptions): Row {
  const { line } = cell
  const key = keyOf(line)
  const id = `${options.prefix}${key}`
  const side = line.kind === 'removed' ? 'old' : 'new'
  const plus = options.plusLink?.(key) ?? ''
  const numberIn = (column: 'old' | 'new') =>
    line[column] === 0 ? '' : numberLink(id, line[column], plus === '' && column === side)
  const html =
    `<tr${classes[line.kind]} id="${id}">` +
    `<td class="num">${numberIn('old')}</td>` +
    `<td class="num">${numberIn('new')}</td>` +
    `<td class="text">${plus}${textOf(cell, side, options)}</td></tr>`
  return { html, keys: [key] }
}

function splitRow({ old, new: now }: Pair, options: RowOptions): Row {
  const isKept = old !== undefined && old === now
  const keys: LineKey[] = [
    ...(old && !isKept ? [`L${old.line.old}` as const] : []),
    ...(now ? [`R${now.line.new}` as const] : []),
  ]
  const side = (cell: Cell | undefined, name: 'old' | 'new', key: LineKey | undefined): string => {
    if (!cell || key === undefined) return '<td class="num none"></td><td class="text none"></td>'
    const id = `${options.prefix}${key}`
    const mark = classes[cell.line.kind] === '' ? '' : ` ${cell.line.kind}`
    const plus = isKept && name === 'old' ? '' : (options.plusLink?.(key) ?? '')
    const number = cell.line[name]
    return (
      `<td class="num${mark}" id="${id}">${numberLink(id, number, plus === '' && !(isKept && name === 'old'))}</td>` +
      `<td class="text${mark}">${plus}${textOf(cell, name, options)}</td>`
    )
  }
  const html = `<tr>${side(old, 'old', old && `L${old.line.old}`)}${side(now, 'new', now && `R${now.line.new}`)}</tr>`
  return { html, keys }
}

/** @param isStop whether the Tab key stops at it: a line has one stop, its mark for a comment if it has one */
const numberLink = (id: string, number: number, isStop: boolean): string =>
  `<a href="#${id}" data-line="${number}" aria-label="${number}"${isStop ? '' : ' tabindex="-1"'}></a>`

/**
 * Returns what makes the links that begin a comment: the address is computed once for a file, not for each line.
 * @param address with the parameter `line` as its last, to which the key is added
 * @param anchor what the id of a line begins with
 */
export function plusLinks(address: string, anchor: string, label: string): (key: LineKey) => string {
  const [begin, hash, name] = [escapeHtml(address), escapeHtml(anchor), escapeHtml(label)]
  return (key) =>
    `<a class="plus" href="${begin}${key}#${hash}${key}" data-line-key="${key}" aria-label="${name} ${key.slice(1)}"></a>`
}

function textOf({ line, marks }: Cell, side: 'old' | 'new', { highlighted }: RowOptions): string {
  const ready = line.text.length > maxShown ? undefined : highlighted?.[side]?.[line[side] - 1]
  const shown = line.text.length > maxShown ? `${line.text.slice(0, maxShown)}…` : line.text
  const html = markRanges(ready ?? escapeHtml(shown.replace(/\r$/, '')), marks)
  return line.lacksBreak ? `${html}<span class="no-break"></span>` : html
}
