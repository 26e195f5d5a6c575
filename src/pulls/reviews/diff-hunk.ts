/** A line number on one side of a diff. */
export interface DiffLine {
  readonly side: 'old' | 'new'
  /** From 1. */
  readonly line: number
}

/** Most lines of code in a hunk, including the line itself, unless the comment is about more lines. */
const keptLines = 4

interface HunkHeader {
  readonly oldBegin: number
  readonly oldCount: number
  readonly newBegin: number
  readonly newCount: number
}

function headerOf(line: string): HunkHeader | undefined {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
  if (!found) return undefined
  const [, oldBegin, oldCount = '1', newBegin, newCount = '1'] = found
  return {
    oldBegin: Number(oldBegin),
    oldCount: Number(oldCount),
    newBegin: Number(newBegin),
    newCount: Number(newCount),
  }
}

/** Returns whether a line of a hunk belongs to a side. */
const isOn = (side: 'old' | 'new', text: string): boolean =>
  text.startsWith(' ') || text === '' || (side === 'old' ? text.startsWith('-') : text.startsWith('+'))

/**
 * Returns the hunk that a line comment shows, from the unified diff of one file: a hunk header and at most four lines that
 * end with the commented line. A shortened hunk gets a recalculated header. A line directly after a hunk returns the hunk's
 * last lines; a line outside of each hunk returns the empty text. Source: contract (pulls: position).
 * @param count lines of the side that the comment is about; the hunk holds all of them
 */
export function hunkAround(diff: string, target: DiffLine, count = 1): string {
  const lines = diff.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const header = headerOf(lines[at] as string)
    if (!header) continue
    const [begin, size] =
      target.side === 'old' ? [header.oldBegin, header.oldCount] : [header.newBegin, header.newCount]
    if (target.line < begin || target.line > begin + size) continue
    return cut(lines, at, header, target, count)
  }
  return ''
}

/** Returns how many of the last lines hold `count` lines of a side. */
function lengthWith(lines: readonly string[], side: 'old' | 'new', count: number): number {
  let found = 0
  for (let length = 1; length <= lines.length; length++) {
    if (isOn(side, lines[lines.length - length] as string)) found += 1
    if (found === count) return length
  }
  return lines.length
}

function cut(lines: readonly string[], at: number, header: HunkHeader, target: DiffLine, count: number): string {
  const kept: string[] = []
  const passed = { old: header.oldBegin, new: header.newBegin }
  // For a side without lines, the header names the line before the hunk.
  if (header.oldCount === 0) passed.old += 1
  if (header.newCount === 0) passed.new += 1
  const begin = { ...passed }
  for (let next = at + 1; next < lines.length; next++) {
    const text = lines[next] as string
    if (headerOf(text) || (text === '' && next === lines.length - 1) || text.startsWith('diff --git ')) break
    if (text.startsWith('\\')) continue
    kept.push(text)
    const isLine = isOn(target.side, text) && passed[target.side] === target.line
    if (isOn('old', text)) passed.old += 1
    if (isOn('new', text)) passed.new += 1
    if (isLine) break
  }
  const wanted = Math.max(keptLines, lengthWith(kept, target.side, count))
  if (kept.length <= wanted) return [lines[at], ...kept].join('\n')
  const tail = kept.slice(-wanted)
  const dropped = kept.slice(0, -wanted)
  const first = (side: 'old' | 'new') => begin[side] + dropped.filter((text) => isOn(side, text)).length
  const size = (side: 'old' | 'new') => tail.filter((text) => isOn(side, text)).length
  return [`@@ -${first('old')},${size('old')} +${first('new')},${size('new')} @@`, ...tail].join('\n')
}
