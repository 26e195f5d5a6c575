/**
 * Returns how well a path matches a text, higher is better; undefined when it lacks a word. Words are found in any
 * order; one in the file's name counts more, and short paths come first.
 */
export function fileMatch(path: string, text: string): number | undefined {
  const lower = path.toLowerCase()
  const nameAt = lower.lastIndexOf('/') + 1
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  let score = 0
  for (const word of words) {
    const inName = lower.indexOf(word, nameAt)
    if (inName === nameAt) score += 100
    else if (inName >= 0) score += 50
    else if (lower.includes(word)) score += 10
    else return undefined
  }
  return score - path.length / 100
}
