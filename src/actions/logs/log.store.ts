import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { ActionLogChunkRow, ActionTaskRow } from '../../db/tables/actions.ts'
import type { TaskId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const insertChunks = (tx: Tx, chunks: readonly ActionLogChunkRow[]) =>
  tx.insertInto('action_log_chunk').values(chunks).execute()

/** Returns chunks of a log from a line on. */
export const listChunks = (
  db: Db | Tx,
  taskId: TaskId,
  fromLine: number,
  limit: number,
): Promise<ActionLogChunkRow[]> =>
  db
    .selectFrom('action_log_chunk')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('first_line', '>=', fromLine)
    .orderBy('first_line')
    .limit(limit)
    .execute()

/** Returns the chunk that contains a line. */
export const findChunkOf = (db: Db, taskId: TaskId, line: number): Promise<ActionLogChunkRow | undefined> =>
  db
    .selectFrom('action_log_chunk')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('first_line', '<=', line)
    .orderBy('first_line', 'desc')
    .limit(1)
    .executeTakeFirst()

export const deleteChunks = (tx: Tx, taskId: TaskId) =>
  tx.deleteFrom('action_log_chunk').where('task_id', '=', taskId).execute()

/** Ends a log in the state `closing`. Returns false for a log in another state. */
export const endClosing = (tx: Tx, taskId: TaskId): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('action_task')
      .set({ log_state: 'ended' })
      .where('id', '=', taskId)
      .where('log_state', '=', 'closing'),
  )

/** Returns logs in a state whose tasks ended before a moment. */
export const listLogs = (
  db: Db,
  state: ActionTaskRow['log_state'],
  stoppedBefore: Unix,
  afterId: number,
  limit: number,
): Promise<Pick<ActionTaskRow, 'id' | 'log_key'>[]> =>
  db
    .selectFrom('action_task')
    .select(['id', 'log_key'])
    .where('log_state', '=', sql.lit(state))
    .where('status', '<>', sql.lit('running'))
    .where('stopped_unix', '<', stoppedBefore)
    .where('id', '>', afterId as TaskId)
    .orderBy('id')
    .limit(limit)
    .execute()
