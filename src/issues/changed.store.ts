import type { Db } from '../db/database.ts'
import { branchOf, type RepoFilter } from './issue-branch.store.ts'
import { countRows } from './issue-filter.store.ts'
import type { Part } from './tally.store.ts'

/** Which issues of a repository, by the time of their latest change; both times are inclusive. */
export type ChangedFilter = Pick<RepoFilter, 'scope' | 'sinceUnix' | 'beforeUnix'>

/** Returns how many issues of each kind and state changed in a time. */
export const countChanged = (
  db: Db,
  { scope, sinceUnix, beforeUnix }: ChangedFilter,
  parts: readonly Part[],
): Promise<Part[]> =>
  Promise.all(
    parts.map(async (part) => {
      const filter = { scope, isPull: [part.isPull], sinceUnix, beforeUnix }
      const { query } = branchOf(db, filter, { lead: { by: 'times' }, isInOrder: true }, [], part)
      return { ...part, total: await countRows(db, [query], undefined) }
    }),
  )
