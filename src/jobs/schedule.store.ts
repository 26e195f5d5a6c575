import type { Selectable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { ScheduleTable } from '../db/tables/work.ts'
import type { Unix } from '../lib/time.ts'

export type ScheduleRow = Selectable<ScheduleTable>

export const listScheduleRows = (db: Db, names: readonly string[]): Promise<ScheduleRow[]> =>
  db.selectFrom('schedule').selectAll().where('name', 'in', names).execute()

/**
 * Registers tasks at the start. It resets their counts, and keeps the next time unless the task is new or its schedule
 * changed.
 */
export async function upsertSchedules(
  tx: Tx,
  rows: readonly Pick<ScheduleRow, 'name' | 'schedule' | 'next_run_unix'>[],
): Promise<void> {
  await tx
    .insertInto('schedule')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({
        schedule: row.ref('excluded.schedule'),
        next_run_unix: row
          .case()
          .when('schedule.schedule', '=', row.ref('excluded.schedule'))
          .then(row.ref('schedule.next_run_unix'))
          .else(row.ref('excluded.next_run_unix'))
          .end(),
        run_count: 0,
      })),
    )
    .execute()
}

/** Advances a task to its next time; false when another process did so first. */
export const updateNextRun = (tx: Tx, name: string, fromUnix: Unix, toUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('schedule')
      .set({ next_run_unix: toUnix })
      .where('name', '=', name)
      .where('next_run_unix', '=', fromUnix),
  )

export async function updateRunBegun(tx: Tx, name: string, unix: Unix): Promise<void> {
  await tx
    .updateTable('schedule')
    .set((row) => ({ last_run_unix: unix, run_count: row('run_count', '+', 1) }))
    .where('name', '=', name)
    .execute()
}

export async function updateRunEnded(tx: Tx, name: string, error: string): Promise<void> {
  await tx.updateTable('schedule').set({ last_error: error }).where('name', '=', name).execute()
}
