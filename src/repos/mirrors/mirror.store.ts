import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { MirrorChange, MirrorRow, NewMirrorRow } from '../../db/tables/mirrors.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const findMirror = (db: Db | Tx, repoId: RepoId): Promise<MirrorRow | undefined> =>
  db.selectFrom('mirror').selectAll().where('repo_id', '=', repoId).executeTakeFirst()

/** Returns mirrors by repository, in one query. */
export async function loadMirrors(db: Db, repoIds: readonly RepoId[]): Promise<ReadonlyMap<RepoId, MirrorRow>> {
  if (repoIds.length === 0) return new Map()
  const rows = await db.selectFrom('mirror').selectAll().where('repo_id', 'in', repoIds).execute()
  return new Map(rows.map((row) => [row.repo_id, row]))
}

/** Returns mirrors that are due, the longest waiting first. */
export const listDueMirrors = async (db: Db, nowUnix: Unix, limit: number): Promise<RepoId[]> =>
  (
    await db
      .selectFrom('mirror')
      .select('repo_id')
      .where('next_unix', '>', sql.lit(0))
      .where('next_unix', '<=', nowUnix)
      .orderBy('next_unix')
      .limit(limit)
      .execute()
  ).map((row) => row.repo_id)

export const insertMirror = (tx: Tx, row: NewMirrorRow) => tx.insertInto('mirror').values(row).execute()

export const updateMirror = (tx: Tx, repoId: RepoId, change: MirrorChange) =>
  tx.updateTable('mirror').set(change).where('repo_id', '=', repoId).execute()
