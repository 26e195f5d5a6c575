import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { ActionScheduleRow } from '../../db/tables/actions.ts'
import type { ActionScheduleId, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const listSchedulesOf = (db: Db | Tx, repoId: RepoId): Promise<ActionScheduleRow[]> =>
  db.selectFrom('action_schedule').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()

export const deleteSchedulesOf = (tx: Tx, repoId: RepoId) =>
  tx.deleteFrom('action_schedule').where('repo_id', '=', repoId).execute()

export async function insertSchedules(tx: Tx, rows: readonly Omit<ActionScheduleRow, 'id'>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('action_schedule')
    .values([...rows])
    .execute()
}

/** Returns the due entries, the earliest first. */
export const listDueSchedules = (db: Db, atUnix: Unix, limit: number): Promise<ActionScheduleRow[]> =>
  db
    .selectFrom('action_schedule')
    .selectAll()
    .where('next_unix', '<=', atUnix)
    .orderBy('next_unix')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Sets the next due time of an entry. Returns false when another process did, or the entry was deleted. */
export const moveSchedule = (tx: Tx, id: ActionScheduleId, fromUnix: Unix, toUnix: Unix): Promise<boolean> =>
  changesRow(
    tx.updateTable('action_schedule').set({ next_unix: toUnix }).where('id', '=', id).where('next_unix', '=', fromUnix),
  )

export const deleteSchedule = (tx: Tx, id: ActionScheduleId) =>
  tx.deleteFrom('action_schedule').where('id', '=', id).execute()
