import { keptLines } from './kept-lines.ts'

/** The lines of a text and what ends each; the last one may have no end. */
interface Lines {
  readonly texts: readonly string[]
  readonly ends: readonly string[]
}

/** Splits a text as text fields of browsers do: after CR LF, LF, and CR alone. */
function linesOf(text: string): Lines {
  const texts: string[] = []
  const ends: string[] = []
  let from = 0
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
    texts.push(text.slice(from, index))
    ends.push(end)
    from = index + end.length
  }
  if (from < text.length) {
    texts.push(text.slice(from))
    ends.push('')
  }
  return { texts, ends }
}

/**
 * Returns a text that was edited in a browser, whose fields know one kind of line end, with the line ends of the text before.
 * A line that stayed keeps its own, a changed one that of the line in its place, and a new one takes that of its neighbour.
 */
export function withLineEnds(before: string, sent: string): string {
  const plain = sent.replace(/\r\n?/g, '\n')
  const kinds = new Set(before.match(/\r\n|\n|\r/g))
  if (kinds.size === 0) return plain
  const [first = '\n'] = kinds
  if (kinds.size === 1) return first === '\n' ? plain : plain.replaceAll('\n', first)
  const old = linesOf(before)
  const now = linesOf(plain)
  const kept = keptLines(old.texts, now.texts)
  let text = ''
  let lastEnd = first
  /** The line before that stands in the place of the next one. */
  let place = 0
  for (let at = 0, nextKept = 0; at < now.texts.length; at++) {
    nextKept = Math.max(nextKept, at)
    while (nextKept < kept.length && (kept[nextKept] as number) < 0) nextKept += 1
    const gapEnd = kept[nextKept] ?? old.texts.length
    if (nextKept === at) place = gapEnd
    const own = nextKept === at || place < gapEnd ? old.ends[place] : undefined
    const end = own || lastEnd
    place += 1
    lastEnd = end
    text += (now.texts[at] as string) + (now.ends[at] === '' ? '' : end)
  }
  return text
}
