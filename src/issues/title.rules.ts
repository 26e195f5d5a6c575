/** Longest title in bytes of UTF-8. */
const maxTitleBytes = 255
const ellipsis = '…'

/** A text of at most so many bytes of UTF-8: cut between characters, with an ellipsis where it was longer. */
export function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const room = maxBytes - Buffer.byteLength(ellipsis)
  let kept = ''
  let size = 0
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > room) break
    kept += character
  }
  return kept + ellipsis
}

/** A title as it is kept: without surrounding spaces, cut to 255 bytes (contract, issues: create). */
export const keptTitle = (title: string): string => cutBytes(title.trim(), maxTitleBytes)

/** A title that begins with one of the prefixes, in any letter case, says that the pull request is no more than a draft. */
export const isDraftTitle = (title: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => title.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
