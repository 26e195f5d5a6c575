import type { Db, Tx } from '../../db/database.ts'
import type { ActionTaskRow, NewActionTaskRow } from '../../db/tables/actions.ts'
import type { TaskId } from '../../lib/ids.ts'

/** A task of a runner, locked against others until the transaction ends (SQLite has one writer anyway). */
export const findTaskForUpdate = (tx: Tx, id: TaskId): Promise<ActionTaskRow | undefined> =>
  tx
    .updateTable('action_task')
    .set((set) => ({ status: set.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const findTask = (db: Db | Tx, id: TaskId): Promise<ActionTaskRow | undefined> =>
  db.selectFrom('action_task').selectAll().where('id', '=', id).executeTakeFirst()

export const updateTask = (tx: Tx, id: TaskId, change: Partial<NewActionTaskRow>) =>
  tx.updateTable('action_task').set(change).where('id', '=', id).execute()
