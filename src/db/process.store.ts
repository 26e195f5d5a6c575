import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from './database.ts'
import { databaseKind } from './open.ts'

/** Returns the time of the database's clock in milliseconds; clocks of processes differ. */
export const databaseNowMs = (db: Db | Tx): RawBuilder<number> =>
  databaseKind(db) === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`

export const insertProcess = async (tx: Tx, id: string): Promise<void> => {
  await tx
    .insertInto('process')
    .values({ id, beat_ms: databaseNowMs(tx) })
    .execute()
}

/**
 * Renews the lease of a process.
 * @returns the time of the database; undefined when the row was deleted, and another process may have its work
 */
export const updateBeat = async (tx: Tx, id: string): Promise<number | undefined> =>
  (
    await tx
      .updateTable('process')
      .set({ beat_ms: databaseNowMs(tx) })
      .where('id', '=', id)
      .returning('beat_ms')
      .executeTakeFirst()
  )?.beat_ms

/**
 * Deletes the processes whose last heartbeat is before a time of the database's clock; any process may take over their
 * work then. A heartbeat that is under way counts. Returns the deleted ids.
 */
export async function deleteSilentProcesses(tx: Tx, beforeMs: number): Promise<string[]> {
  const silent = tx.selectFrom('process').select('id').where('beat_ms', '<', beforeMs)
  const rows = await tx
    .deleteFrom('process')
    .where('id', 'in', silent.forUpdate().skipLocked())
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns whether a process had a heartbeat in the last `withinMs`. */
export const hasLiveProcess = async (db: Db, withinMs: number): Promise<boolean> =>
  (await db
    .selectFrom('process')
    .select('id')
    .where('beat_ms', '>=', sql<number>`${databaseNowMs(db)} - ${sql.lit(Math.ceil(withinMs))}`)
    .limit(1)
    .executeTakeFirst()) !== undefined

export const deleteProcess = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('process').where('id', '=', id).execute()
}

export const deleteOtherProcesses = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('process').where('id', '<>', id).execute()
}
