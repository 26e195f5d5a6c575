import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import { countRows } from '../db/rows.ts'
import type { Schema } from '../db/schema.ts'
import type { PackageRow } from '../db/tables/packages.ts'
import type { PackageId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { VersionRecord } from './package.store.ts'

export interface InstancePackageFilter {
  readonly type?: string | undefined
  /** A part of the name of the package or of its owner; the letter case is ignored. */
  readonly text?: string | undefined
}

const isWanted =
  ({ type, text }: InstancePackageFilter) =>
  (where: ExpressionBuilder<Schema, 'package'>) =>
    where.and([
      ...(type ? [where('package.type', '=', type)] : []),
      ...(text
        ? [
            where.or([
              lowerContains('package.lower_name', text),
              where(
                'package.owner_id',
                'in',
                where.selectFrom('user').select('user.id').where(lowerContains('user.lower_name', text)),
              ),
            ]),
          ]
        : []),
      where.exists(
        where
          .selectFrom('package_version')
          .select('package_version.id')
          .whereRef('package_version.package_id', '=', 'package.id')
          .where('package_version.is_internal', '=', false),
      ),
    ])

/** Returns packages of all owners, those created last first. */
export const listInstancePackages = (db: Db, filter: InstancePackageFilter, page: Page): Promise<PackageRow[]> =>
  db
    .selectFrom('package')
    .selectAll()
    .where(isWanted(filter))
    .orderBy('package.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countInstancePackages = (db: Db, filter: InstancePackageFilter): Promise<number> =>
  countRows(db.selectFrom('package').where(isWanted(filter)))

/** Returns the number of listed versions of each package. */
export async function countVersionsOf(
  db: Db,
  packageIds: readonly PackageId[],
): Promise<ReadonlyMap<PackageId, number>> {
  if (packageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('package_version')
    .select(({ fn }) => ['package_id', fn.countAll<number>().as('count')])
    .where('package_id', 'in', packageIds)
    .where('is_internal', '=', false)
    .groupBy('package_id')
    .execute()
  return new Map(rows.map((row) => [row.package_id, row.count]))
}

/** Returns the bytes of the files of each package. */
export async function sumSizesOf(db: Db, packageIds: readonly PackageId[]): Promise<ReadonlyMap<PackageId, number>> {
  if (packageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .select(({ fn }) => [
      'package_version.package_id',
      fn.sum<number | string>('package_file.size_bytes').as('sizeBytes'),
    ])
    .where('package_version.package_id', 'in', packageIds)
    .groupBy('package_version.package_id')
    .execute()
  return new Map(rows.map((row) => [row.package_id, Number(row.sizeBytes)]))
}

/** Returns versions of a package, also those that no list shows. */
export const listEveryVersionOf = (db: Db, packageId: PackageId, limit: number): Promise<VersionRecord[]> =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id'])
    .where('package_version.package_id', '=', packageId)
    .orderBy('package_version.id')
    .limit(limit)
    .execute()
