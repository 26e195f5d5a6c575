import type { Db, Tx } from '../../db/database.ts'
import type { PackageKeyRow } from '../../db/tables/packages.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const findKey = (db: Db, ownerId: UserId, type: string): Promise<PackageKeyRow | undefined> =>
  db.selectFrom('package_key').selectAll().where('owner_id', '=', ownerId).where('type', '=', type).executeTakeFirst()

/** Stores a key unless the owner has one. */
export const insertKey = (
  tx: Tx,
  values: { owner_id: UserId; type: string; sealed_key: string; public_key: string; created_unix: Unix },
) =>
  tx
    .insertInto('package_key')
    .values(values)
    .onConflict((conflict) => conflict.columns(['owner_id', 'type']).doNothing())
    .execute()
