import type { CommentRow } from '../../db/tables/issues.ts'

const opening = /^(`{3,}|~{3,})suggestion/

/** Returns the lines that a comment suggests in place of its lines; undefined when it suggests none. */
export function suggestedLines(body: string): readonly string[] | undefined {
  const lines = body.replaceAll('\r\n', '\n').split('\n')
  const begin = lines.findIndex((line) => opening.test(line)) + 1
  if (begin === 0) return undefined
  const [, fence = ''] = opening.exec(lines[begin - 1] ?? '') ?? []
  const isEnd = (line: string) => line.startsWith(fence) && /^[`~]*\s*$/.test(line.slice(fence.length))
  const end = lines.findIndex((line, at) => at >= begin && isEnd(line))
  return end === -1 ? undefined : lines.slice(begin, end)
}

/** Lines of a text, from 1. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

type LineText = Pick<CommentRow, 'content' | 'line' | 'first_line' | 'patch'>

/** Returns the lines that a comment is about. */
export const rangeOf = ({ line, first_line }: Pick<LineText, 'line' | 'first_line'>): LineRange => ({
  first: first_line === 0 ? Math.abs(line) : first_line,
  last: Math.abs(line),
})

/** A suggestion with the lines that it replaces, as they were when the comment was written. */
interface ShownSuggestion {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Returns what a comment suggests; undefined when it suggests nothing, and when the lines lay outside of the difference. */
export function suggestionOf(comment: LineText): ShownSuggestion | undefined {
  if (comment.line <= 0 || comment.patch === '') return undefined
  const added = suggestedLines(comment.content)
  const { first, last } = rangeOf(comment)
  const removed = added && lastLinesOf(comment.patch, 'new', last - first + 1)
  return added && removed && { removed, added }
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
