/** Longest title in bytes of UTF-8. */
const maxTitleBytes = 255
const ellipsis = '…'

/** Returns a text of at most `maxBytes` bytes of UTF-8. A longer one is cut between characters and ends with an ellipsis. */
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

/** Returns the title to store: trimmed, at most 255 bytes (contract, issues: create). */
export const keptTitle = (title: string): string => cutBytes(title.trim(), maxTitleBytes)

/** Returns whether a title begins with a prefix of draft pull requests, in any letter case. */
export const isDraftTitle = (title: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => title.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
