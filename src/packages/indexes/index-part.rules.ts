/** Average number of files in a part of an index; a part has at most twice as many. */
const usualMembers = 32
const maxMembers = 2 * usualMembers

/**
 * Returns whether a part begins with a file. It depends on the file alone, so a part stays the same when files before
 * or after
 * it change.
 */
const begins = (id: number): boolean => Math.imul(id, 0x9e3779b1) >>> 0 < 2 ** 32 / usualMembers

/** Divides the files of an index into parts. */
export function divided<Id extends number>(ids: readonly Id[]): Id[][] {
  const parts: Id[][] = []
  for (const id of ids) {
    const last = parts.at(-1)
    if (!last || last.length >= maxMembers || begins(id)) parts.push([id])
    else last.push(id)
  }
  return parts
}
