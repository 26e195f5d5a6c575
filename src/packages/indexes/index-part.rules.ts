/** About how many files make one part of an index; the most are twice as many. */
const usualMembers = 32
const maxMembers = 2 * usualMembers

/**
 * Whether a part begins with a file. It depends on the file alone, so that parts stay as they are when files before or
 * behind them come and go.
 */
const begins = (id: number): boolean => Math.imul(id, 0x9e3779b1) >>> 0 < 2 ** 32 / usualMembers

/** Divides the files of an index, by their ids, into parts. */
export function divided<Id extends number>(ids: readonly Id[]): Id[][] {
  const parts: Id[][] = []
  for (const id of ids) {
    const last = parts.at(-1)
    if (!last || last.length >= maxMembers || begins(id)) parts.push([id])
    else last.push(id)
  }
  return parts
}
