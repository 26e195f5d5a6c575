/** Returns the lines that a comment suggests in place of its lines; undefined when it suggests none. */
export function suggestedLines(body: string): readonly string[] | undefined {
  const found = /^(`{3,}|~{3,})suggestion[^\n]*\n([\s\S]*?)^\1[`~]*\s*$/m.exec(body.replaceAll('\r\n', '\n'))
  if (!found) return undefined
  const text = found[2] ?? ''
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Lines of a text, from 1. */
interface LineRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns a text with other lines in place of a range of lines.
 * @param expected what the lines must be
 * @returns undefined when the text has no such lines
 */
export function withLinesReplaced(
  text: string,
  { first, last }: LineRange,
  replacement: readonly string[],
  expected?: readonly string[],
): string | undefined {
  const lines = text.split('\n')
  const old = lines.slice(first - 1, last)
  if (old.length < last - first + 1 || (last === lines.length && old.at(-1) === '')) return undefined
  if (expected !== undefined && old.some((line, at) => line !== expected[at])) return undefined
  const end = old.at(-1)?.endsWith('\r') ? '\r' : ''
  return lines.toSpliced(first - 1, old.length, ...replacement.map((each) => `${each}${end}`)).join('\n')
}

/** Returns the last lines of one side of a hunk; undefined when the hunk has fewer. */
export function lastLinesOf(patch: string, side: 'old' | 'new', count: number): readonly string[] | undefined {
  const sign = side === 'old' ? '-' : '+'
  const lines = patch.split('\n').slice(1)
  const found = lines.filter((line) => line === '' || line.startsWith(' ') || line.startsWith(sign)).slice(-count)
  return found.length < count ? undefined : found.map((line) => line.slice(1))
}
