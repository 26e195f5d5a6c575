import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the previous values of changed members, by their `old…` names; empty when nothing changed.
 * @param members the row's column of each member
 */
export function oldValues<Row extends object, const Members extends Readonly<Record<string, keyof Row>>>(
  before: Row,
  after: Row,
  members: Members,
): { [Member in keyof Members]?: Row[Members[Member]] } {
  const old: { [Member in keyof Members]?: Row[Members[Member]] } = {}
  for (const member of Object.keys(members) as (keyof Members)[]) {
    const column: Members[keyof Members] = members[member]
    if (!isDeepStrictEqual(before[column], after[column])) old[member] = before[column]
  }
  return old
}

export const isEmpty = (old: object): boolean => Object.keys(old).length === 0
