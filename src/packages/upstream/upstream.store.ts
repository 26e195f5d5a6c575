import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { PackageUpstreamRow } from '../../db/tables/packages.ts'
import type { UserId } from '../../lib/ids.ts'
import type { VersionRecord } from '../package.store.ts'

export const findUpstream = (db: Db, ownerId: UserId, type: string): Promise<PackageUpstreamRow | undefined> =>
  db
    .selectFrom('package_upstream')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .executeTakeFirst()

export const listUpstreams = (db: Db, ownerId: UserId): Promise<PackageUpstreamRow[]> =>
  db.selectFrom('package_upstream').selectAll().where('owner_id', '=', ownerId).orderBy(bytewise(db, 'type')).execute()

export const putUpstream = (tx: Tx, { owner_id, type, ...values }: PackageUpstreamRow) =>
  tx
    .insertInto('package_upstream')
    .values({ owner_id, type, ...values })
    .onConflict((conflict) => conflict.columns(['owner_id', 'type']).doUpdateSet(values))
    .execute()

export const deleteUpstream = (tx: Tx, ownerId: UserId, type: string): Promise<boolean> =>
  changesRow(tx.deleteFrom('package_upstream').where('owner_id', '=', ownerId).where('type', '=', type))

/** Returns whether an owner has a public version of a package of this name. */
export const hasPublicVersion = (db: Db, ownerId: UserId, type: string, lowerName: string): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('package')
      .innerJoin('package_version', 'package_version.package_id', 'package.id')
      .where('package.owner_id', '=', ownerId)
      .where('package.type', '=', type)
      .where('package.lower_name', '=', lowerName)
      .where('package_version.is_internal', '=', false),
  )

/** Lists versions that an owner's registry stored from its upstream. */
export const listKeptVersions = (
  db: Db,
  ownerId: UserId,
  type: string,
  lowerVersion: string,
  limit: number,
): Promise<VersionRecord[]> =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id'])
    .where('package_version.owner_id', '=', ownerId)
    .where('package_version.type', '=', type)
    .where('package_version.is_internal', '=', true)
    .where('package_version.lower_version', '=', lowerVersion)
    .limit(limit)
    .execute()
