/** Longest title in bytes of UTF-8. */
const maxTitleBytes = 255
const ellipsis = '…'

/**
 * A title as it is kept: without surrounding spaces, cut between characters to 255 bytes with an ellipsis where it was
 * longer (contract, issues: create).
 */
export function keptTitle(title: string): string {
  const trimmed = title.trim()
  if (Buffer.byteLength(trimmed) <= maxTitleBytes) return trimmed
  const room = maxTitleBytes - Buffer.byteLength(ellipsis)
  let kept = ''
  let size = 0
  for (const character of trimmed) {
    size += Buffer.byteLength(character)
    if (size > room) break
    kept += character
  }
  return kept + ellipsis
}

/** A title that begins with one of the prefixes, in any letter case, says that the pull request is no more than a draft. */
export const isDraftTitle = (title: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => title.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
