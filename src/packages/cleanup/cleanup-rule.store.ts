import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { NewPackageCleanupRuleRow, PackageCleanupRuleRow } from '../../db/tables/packages.ts'
import type { PackageRuleId, UserId } from '../../lib/ids.ts'

/** Lists the rules of an owner by registry type; a registry has at most one. */
export const listRules = (db: Db, ownerId: UserId): Promise<PackageCleanupRuleRow[]> =>
  db
    .selectFrom('package_cleanup_rule')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy(bytewise(db, 'type'))
    .execute()

export const findRule = (db: Db, id: PackageRuleId): Promise<PackageCleanupRuleRow | undefined> =>
  db.selectFrom('package_cleanup_rule').selectAll().where('id', '=', id).executeTakeFirst()

/** Inserts a rule; returns undefined when the registry has one. */
export const insertRule = (tx: Tx, values: NewPackageCleanupRuleRow): Promise<PackageCleanupRuleRow | undefined> =>
  tx
    .insertInto('package_cleanup_rule')
    .values(values)
    .onConflict((conflict) => conflict.columns(['owner_id', 'type']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** Updates a rule; returns undefined when it is gone. */
export const updateRule = (
  tx: Tx,
  id: PackageRuleId,
  values: Partial<Omit<NewPackageCleanupRuleRow, 'id'>>,
): Promise<PackageCleanupRuleRow | undefined> =>
  tx.updateTable('package_cleanup_rule').set(values).where('id', '=', id).returningAll().executeTakeFirst()

export const deleteRule = (tx: Tx, id: PackageRuleId): Promise<boolean> =>
  changesRow(tx.deleteFrom('package_cleanup_rule').where('id', '=', id))

/** Lists enabled rules of all owners by id. */
export const listEnabledRules = (db: Db, after: PackageRuleId | undefined, limit: number) =>
  db
    .selectFrom('package_cleanup_rule')
    .select(['id', 'owner_id'])
    .where('is_enabled', '=', true)
    .where('id', '>', after ?? (0 as PackageRuleId))
    .orderBy('id')
    .limit(limit)
    .execute()
