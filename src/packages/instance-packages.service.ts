import type { Ctx, SignedInCtx, SubjectCtx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PackageRow } from '../db/tables/packages.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { pluck } from '../lib/pluck.ts'
import { loadUsers } from '../users/user.store.ts'
import { findPackage } from './catalog/catalog.store.ts'
import {
  countInstancePackages,
  countVersionsOf,
  listEveryVersionOf,
  listInstancePackages,
  sumSizesOf,
  type InstancePackageFilter,
} from './instance-packages.store.ts'
import { comparable, noPackage } from './package.rules.ts'
import { deleteVersion } from './package.service.ts'

/** A package with its owner, the number of its versions and the bytes of their files. */
export interface InstancePackage {
  readonly row: PackageRow
  readonly owner: UserRow
  readonly versionCount: number
  readonly sizeBytes: number
}

/** Returns a page of the packages of all owners, those created last first, and their total. */
export async function packagesOfInstance(
  { db }: Ctx,
  filter: InstancePackageFilter,
  page: Page,
): Promise<{ readonly packages: readonly InstancePackage[]; readonly total: number }> {
  const [rows, total] = await rowsAndTotal(
    page,
    listInstancePackages(db, filter, page),
    countInstancePackages(db, filter),
  )
  const ids = pluck(rows, 'id')
  const [owners, counts, sizes] = await Promise.all([
    loadUsers(db, pluck(rows, 'owner_id')),
    countVersionsOf(db, ids),
    sumSizesOf(db, ids),
  ])
  const packages = rows.flatMap((row) => {
    const owner = owners.get(row.owner_id)
    return owner ? [{ row, owner, versionCount: counts.get(row.id) ?? 0, sizeBytes: sizes.get(row.id) ?? 0 }] : []
  })
  return { packages, total }
}

/** Number of versions that are read at once while a package is deleted. */
const batch = 200

/** Removes all versions of a package, each in its own transaction, and the package. Throws `NotFound` without it. */
export async function removePackage(ctx: SubjectCtx & SignedInCtx, type: string, name: string): Promise<PackageRow> {
  const row = await findPackage(ctx.db, { ownerId: ctx.subject.id, type, lowerName: comparable(name) })
  if (!row) throw noPackage()
  let versions = await listEveryVersionOf(ctx.db, row.id, batch)
  while (versions.length > 0) {
    for (const version of versions) await deleteVersion(ctx, version, ctx.viewer.id)
    versions = await listEveryVersionOf(ctx.db, row.id, batch)
  }
  return row
}
