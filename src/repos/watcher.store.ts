import { sql, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { levelOf, type WatchLevel } from './watch-level.ts'

/** Returns the condition that a row of `watch` is that of a watcher. @param column name of its column `mode` */
export const isWatcher = (column = 'watch.mode') => sql<SqlBool>`${sql.ref(column)} in ('normal', 'auto')`

/** Returns what an account hears of each of the repositories. */
export async function loadWatchLevels(
  db: Db,
  userId: UserId,
  repoIds: readonly RepoId[],
): Promise<ReadonlyMap<RepoId, WatchLevel>> {
  if (repoIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('watch')
    .select(['repo_id', 'mode'])
    .where('user_id', '=', userId)
    .where('repo_id', 'in', repoIds)
    .execute()
  return new Map(rows.map((row) => [row.repo_id, levelOf(row.mode)]))
}
