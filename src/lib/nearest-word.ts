/**
 * Returns the word that a misspelt one most likely means: the one with the fewest inserted, deleted and replaced
 * characters, at most a third of the length. Undefined when no word is that near.
 */
export function nearestWord(misspelt: string, words: readonly string[]): string | undefined {
  const near = words
    .map((word) => ({ word, edits: editsBetween(misspelt, word) }))
    .filter(({ word, edits }) => edits <= Math.floor(Math.max(misspelt.length, word.length) / 3))
    .toSorted((a, b) => a.edits - b.edits)
  return near[0]?.word
}

/** The Levenshtein distance. */
function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1)
      line.push(Math.min(replaced, (above[column] as number) + 1, (line[column - 1] as number) + 1))
    }
    above = line
  }
  return above[to.length] as number
}
