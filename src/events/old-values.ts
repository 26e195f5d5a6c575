import { isDeepStrictEqual } from 'node:util'

/**
 * What was there before, of the values that are others now, by the names of an event's `old…` members. Empty when
 * everything is as it was: then there is nothing to publish.
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
