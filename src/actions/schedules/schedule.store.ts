import type { Db, Tx } from '../../db/database.ts'
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

/** Returns an entry if it is due. */
export const findDueSchedule = (db: Db, id: ActionScheduleId, atUnix: Unix): Promise<ActionScheduleRow | undefined> =>
  db.selectFrom('action_schedule').selectAll().where('id', '=', id).where('next_unix', '<=', atUnix).executeTakeFirst()

/** Sets the next due time of an entry, unless another process did. */
export const moveSchedule = (tx: Tx, id: ActionScheduleId, fromUnix: Unix, toUnix: Unix) =>
  tx
    .updateTable('action_schedule')
    .set({ next_unix: toUnix })
    .where('id', '=', id)
    .where('next_unix', '=', fromUnix)
    .execute()

export const deleteSchedule = (tx: Tx, id: ActionScheduleId) =>
  tx.deleteFrom('action_schedule').where('id', '=', id).execute()
