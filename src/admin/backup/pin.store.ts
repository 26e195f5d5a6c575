import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { databaseNowMs } from '../../db/process.store.ts'
import { changesRow } from '../../db/rows.ts'

const after = (db: Db | Tx, ms: number) => sql<number>`${databaseNowMs(db)} + ${sql.lit(ms)}`

/** Inserts a pin and deletes those that have ended. */
export async function insertPin(tx: Tx, id: string, leaseMs: number): Promise<void> {
  await tx.deleteFrom('backup_pin').where('until_ms', '<', databaseNowMs(tx)).execute()
  await tx
    .insertInto('backup_pin')
    .values({ id, until_ms: after(tx, leaseMs) })
    .execute()
}

/** Renews a pin. @returns false when it has ended */
export const renewPin = (tx: Tx, id: string, leaseMs: number): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('backup_pin')
      .set({ until_ms: after(tx, leaseMs) })
      .where('id', '=', id)
      .where('until_ms', '>=', databaseNowMs(tx)),
  )

export const deletePin = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('backup_pin').where('id', '=', id).execute()
}

/** Returns whether a backup is being made. */
export const isPinned = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('backup_pin')
    .select('id')
    .where('until_ms', '>=', databaseNowMs(db))
    .limit(1)
    .executeTakeFirst()) !== undefined
