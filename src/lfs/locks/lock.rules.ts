/** Longest path of a lock, in bytes; the limit of file systems. */
const maxPathBytes = 4096

/**
 * Returns the normalized path of a lock, so that each file has one spelling; undefined for an empty or impossible path.
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

/** Paths that differ only in letter case share one lock, because some clients cannot tell them apart. */
export const lockKeyOf = (path: string): string => path.toLowerCase()
