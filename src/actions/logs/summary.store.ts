import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { ActionSummaryRow } from '../../db/tables/actions.ts'
import type { TaskId } from '../../lib/ids.ts'

/** Stores summaries of steps, which replace earlier ones. Those beyond the limit of the task are not kept. */
export async function upsertSummaries(tx: Tx, rows: readonly ActionSummaryRow[], maxBytes: number): Promise<void> {
  for (const row of rows) {
    const { bytes } = await tx
      .selectFrom('action_summary')
      .select(sql<number | string | null>`sum(octet_length(content))`.as('bytes'))
      .where('task_id', '=', row.task_id)
      .where('position', '<>', row.position)
      .executeTakeFirstOrThrow()
    if (Number(bytes ?? 0) + Buffer.byteLength(row.content) > maxBytes) continue
    await tx
      .insertInto('action_summary')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['task_id', 'position']).doUpdateSet((set) => ({ content: set.ref('excluded.content') })),
      )
      .execute()
  }
}

/** Most summaries of a list. */
const maxRows = 100

/**
 * Returns the first summaries of tasks that have a number of bytes together, the steps of each in order.
 * @returns `isCut` when others are left out
 */
export async function listSummaries(
  db: Db,
  ids: readonly TaskId[],
  maxBytes: number,
): Promise<{ readonly rows: readonly ActionSummaryRow[]; readonly isCut: boolean }> {
  if (ids.length === 0) return { rows: [], isCut: false }
  const ofTasks = db
    .selectFrom('action_summary')
    .where('task_id', 'in', sql<TaskId>`${idList(db, idListText(ids))}`)
    .orderBy('task_id')
    .orderBy('position')
  const sizes = await ofTasks
    .select(sql<number>`octet_length(content)`.as('bytes'))
    .limit(maxRows + 1)
    .execute()
  let left = maxBytes
  const fitting = sizes.slice(0, maxRows).findIndex(({ bytes }) => (left -= bytes) < 0)
  const count = fitting < 0 ? Math.min(sizes.length, maxRows) : fitting
  const rows = count === 0 ? [] : await ofTasks.selectAll().limit(count).execute()
  return { rows, isCut: sizes.length > count }
}

export const deleteSummaries = (tx: Tx, taskId: TaskId) =>
  tx.deleteFrom('action_summary').where('task_id', '=', taskId).execute()
