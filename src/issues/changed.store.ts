import type { Db } from '../db/database.ts'
import { countChangedBefore } from './block.store.ts'
import { branchOf, type RepoFilter } from './issue-branch.store.ts'
import { countRows } from './issue-filter.store.ts'
import type { Part } from './tally.store.ts'

/** Which issues of a repository, by the time of their latest change; both times are inclusive. */
export type ChangedFilter = Pick<RepoFilter, 'scope' | 'sinceUnix' | 'beforeUnix'>

type Times = Pick<ChangedFilter, 'sinceUnix' | 'beforeUnix'>

/** Issues of a kind and state that changed in a time. */
const changedIn = (db: Db, { scope }: ChangedFilter, part: Part, times: Times) =>
  branchOf(db, { scope, isPull: [part.isPull], ...times }, { lead: { by: 'times' }, isInOrder: true }, [], part).query

/** The times that a filter with one end of them leaves out. */
const restOf = ({ sinceUnix, beforeUnix }: Times): Times =>
  sinceUnix === undefined ? { sinceUnix: (beforeUnix as number) + 1 } : { beforeUnix: sinceUnix - 1 }

/**
 * How many of each kind and state changed in a time: summed up where that is kept, else counted.
 * @param all how many of each there are
 */
export async function countChanged(db: Db, filter: ChangedFilter, all: readonly Part[]): Promise<Part[]> {
  const { sinceUnix, beforeUnix, scope } = filter
  const [beforeFirst, upToLast] = await Promise.all([
    sinceUnix === undefined ? undefined : countChangedBefore(db, scope.repoId, sinceUnix),
    beforeUnix === undefined ? undefined : countChangedBefore(db, scope.repoId, beforeUnix + 1),
  ])
  if (!beforeFirst && !upToLast) return Promise.all(all.map((part) => countPart(db, filter, part)))
  return all.map((part) => ({
    ...part,
    total: Math.max(0, (upToLast ? upToLast(part) : part.total) - (beforeFirst?.(part) ?? 0)),
  }))
}

/** How many of a kind and state changed in a time. Where most did, those that did not are counted. */
async function countPart(db: Db, filter: ChangedFilter, part: Part): Promise<Part> {
  const { sinceUnix, beforeUnix } = filter
  const wanted = changedIn(db, filter, part, { sinceUnix, beforeUnix })
  const at = sinceUnix ?? beforeUnix
  if (at === undefined || (sinceUnix !== undefined && beforeUnix !== undefined)) {
    return { ...part, total: await countRows(db, [wanted], undefined) }
  }
  const ends = changedIn(db, filter, part, {}).clearSelect().select('issue.updated_unix').limit(1)
  const [first, last] = await Promise.all([
    ends.orderBy('issue.updated_unix').executeTakeFirst(),
    ends.orderBy('issue.updated_unix', 'desc').executeTakeFirst(),
  ])
  if (!first || !last) return { ...part, total: 0 }
  const isLater = at > (first.updated_unix + last.updated_unix) / 2
  const isMost = isLater === (beforeUnix !== undefined)
  if (!isMost) return { ...part, total: await countRows(db, [wanted], undefined) }
  const rest = changedIn(db, filter, part, restOf(filter))
  return { ...part, total: Math.max(0, part.total - (await countRows(db, [rest], undefined))) }
}
