/** A line number on one side of a diff. */
export interface DiffLine {
  readonly side: 'old' | 'new'
  /** From 1. */
  readonly line: number
}

/** Most lines of code in a hunk, including the line itself. */
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
 */
export function hunkAround(diff: string, target: DiffLine): string {
  const lines = diff.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const header = headerOf(lines[at] as string)
    if (!header) continue
    const [begin, count] =
      target.side === 'old' ? [header.oldBegin, header.oldCount] : [header.newBegin, header.newCount]
    if (target.line < begin || target.line > begin + count) continue
    return cut(lines, at, header, target)
  }
  return ''
}

function cut(lines: readonly string[], at: number, header: HunkHeader, target: DiffLine): string {
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
  if (kept.length <= keptLines) return [lines[at], ...kept].join('\n')
  const tail = kept.slice(-keptLines)
  const dropped = kept.slice(0, -keptLines)
  const first = (side: 'old' | 'new') => begin[side] + dropped.filter((text) => isOn(side, text)).length
  const size = (side: 'old' | 'new') => tail.filter((text) => isOn(side, text)).length
  return [`@@ -${first('old')},${size('old')} +${first('new')},${size('new')} @@`, ...tail].join('\n')
}
