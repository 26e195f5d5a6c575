/** A part of a file that differs between two commits, without lines around it. */
export interface ChangedPart {
  readonly oldBegin: number
  readonly oldCount: number
  readonly newCount: number
}

/** Lines of a file, from 1. */
export interface Lines {
  readonly first: number
  readonly last: number
}

/**
 * Returns where unchanged lines of an old file are in the new one; undefined when one of them was changed or removed, or
 * when lines were added between them.
 * @param parts the differences, in the order of the file. For a part without old lines, `oldBegin` is the line before it.
 */
export function movedLines({ first, last }: Lines, parts: readonly ChangedPart[]): Lines | undefined {
  let shift = 0
  for (const { oldBegin, oldCount, newCount } of parts) {
    const end = oldCount === 0 ? oldBegin : oldBegin + oldCount - 1
    const isBefore = end < first
    const isAfter = oldCount === 0 ? oldBegin >= last : oldBegin > last
    if (isAfter) break
    if (!isBefore) return undefined
    shift += newCount - oldCount
  }
  return { first: first + shift, last: last + shift }
}
