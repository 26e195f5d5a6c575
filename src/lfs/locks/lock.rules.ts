/** Longest path of a lock, in bytes: what file systems take. */
const maxPathBytes = 4096

/**
 * A path as it is locked: cleaned like one rooted at the repository, so that no spelling of it leads elsewhere. undefined
 * when nothing is left, or when no file can have it.
 */
export function cleanLockPath(path: string): string | undefined {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const clean = segments.join('/')
  const isFit =
    clean !== '' && Buffer.byteLength(clean) <= maxPathBytes && !/\p{Cc}/u.test(clean) && clean.isWellFormed()
  return isFit ? clean : undefined
}

/** Paths that differ in letter case alone are one file to some clients, so they have one lock. */
export const lockKeyOf = (path: string): string => path.toLowerCase()
