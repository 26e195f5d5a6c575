import type { Db, Tx } from '../db/database.ts'
import { changesRow, hasRow } from '../db/rows.ts'
import type { UserId } from '../lib/ids.ts'

/** Notes that an owner has published a name. @param name as `normalName` returns it */
export const noteOwnName = (tx: Tx, ownerId: UserId, type: string, name: string) =>
  tx
    .insertInto('package_name')
    .values({ owner_id: ownerId, type, name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Returns whether an owner has published a name, even when its versions are deleted. */
export const isOwnName = (db: Db, ownerId: UserId, type: string, name: string): Promise<boolean> =>
  hasRow(
    db.selectFrom('package_name').where('owner_id', '=', ownerId).where('type', '=', type).where('name', '=', name),
  )

export const deleteOwnName = (tx: Tx, ownerId: UserId, type: string, name: string): Promise<boolean> =>
  changesRow(
    tx.deleteFrom('package_name').where('owner_id', '=', ownerId).where('type', '=', type).where('name', '=', name),
  )
