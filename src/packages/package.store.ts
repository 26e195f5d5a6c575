import { sql, type ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import { databaseKind } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'
import type { NewPackageRow, NewPackageVersionRow, PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import type { PackageId, PackageVersionId, RepoId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** A version, and what its package is called and linked to. */
export type VersionRecord = PackageVersionRow & Pick<PackageRow, 'name' | 'lower_name' | 'repo_id'>

/** Names a package of an owner; the name is in lower case. */
export interface PackageKey {
  readonly ownerId: UserId
  readonly type: string
  readonly lowerName: string
}

export interface VersionFilter {
  readonly ownerId: UserId
  readonly type?: string | undefined
  /** Part of the name, in any letter case. */
  readonly text?: string | undefined
}

const records = (db: Db) =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id'])

/** A name is looked for among the packages, of which there are fewer than versions. */
const isWanted =
  ({ ownerId, type, text }: VersionFilter) =>
  (where: ExpressionBuilder<Schema, 'package_version'>) =>
    where.and([
      where('package_version.owner_id', '=', ownerId),
      where('package_version.is_internal', '=', false),
      ...(type ? [where('package_version.type', '=', type)] : []),
      ...(text
        ? [
            where(
              'package_version.package_id',
              'in',
              where
                .selectFrom('package')
                .select('package.id')
                .where('package.owner_id', '=', ownerId)
                .where(lowerContains('package.lower_name', text)),
            ),
          ]
        : []),
    ])

/**
 * Versions of all packages of an owner, the newest first.
 * @param total how many there are: what is nearer to the end is found from there
 */
export async function listVersions(db: Db, filter: VersionFilter, page: Page, total: number): Promise<VersionRecord[]> {
  const left = Math.min(page.limit, total - page.offset)
  if (left <= 0) return []
  const isFromEnd = page.offset > total / 2
  const direction = isFromEnd ? 'asc' : 'desc'
  // The rows of those that are passed over are not looked at.
  const places = await db
    .selectFrom('package_version')
    .select('package_version.id')
    .where(isWanted(filter))
    .orderBy('package_version.created_unix', direction)
    .orderBy('package_version.id', direction)
    .limit(left)
    .offset(isFromEnd ? total - page.offset - left : page.offset)
    .execute()
  const ids = (isFromEnd ? places.toReversed() : places).map((place) => place.id)
  const found = await loadVersions(db, ids)
  return ids.flatMap((id) => found.get(id) ?? [])
}

export const countVersions = async (db: Db | Tx, filter: VersionFilter): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('package_version')
        .select((select) => select.fn.countAll<number | string>().as('count'))
        .where(isWanted(filter))
        .executeTakeFirstOrThrow()
    ).count,
  )

export const findVersion = (
  db: Db,
  { ownerId, type, lowerName }: PackageKey,
  lowerVersion: string,
): Promise<VersionRecord | undefined> =>
  records(db)
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .where('package.lower_name', '=', lowerName)
    .where('package_version.lower_version', '=', lowerVersion)
    .executeTakeFirst()

/** Some versions, by their ids; those that are gone are left out. */
export async function loadVersions(
  db: Db,
  ids: readonly PackageVersionId[],
): Promise<ReadonlyMap<PackageVersionId, VersionRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await records(db).where('package_version.id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Versions of an account that goes, whichever. */
export const listSomeVersions = (db: Db, ownerId: UserId, limit: number): Promise<VersionRecord[]> =>
  records(db).where('package_version.owner_id', '=', ownerId).orderBy('package_version.id').limit(limit).execute()

export const ownsPackages = async (tx: Tx, ownerId: UserId): Promise<boolean> =>
  (await tx.selectFrom('package').select('id').where('owner_id', '=', ownerId).limit(1).executeTakeFirst()) !==
  undefined

/**
 * A package, held until the transaction ends: everything that changes it, its versions and their files holds it first
 * (SQLite has one writer anyway).
 */
export function findPackageForUpdate(
  tx: Tx,
  { ownerId, type, lowerName }: PackageKey,
): Promise<PackageRow | undefined> {
  const query = tx
    .selectFrom('package')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .where('lower_name', '=', lowerName)
  return (databaseKind(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
}

/** The same, by its id. */
export function holdPackage(tx: Tx, id: PackageId): Promise<PackageRow | undefined> {
  const query = tx.selectFrom('package').selectAll().where('id', '=', id)
  return (databaseKind(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
}

/** Makes a package; undefined when there is one of the name. */
export const insertPackage = (tx: Tx, values: NewPackageRow): Promise<PackageRow | undefined> =>
  tx
    .insertInto('package')
    .values(values)
    .onConflict((conflict) => conflict.columns(['owner_id', 'type', 'lower_name']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** A package has no version. */
export const isEmptyPackage = (where: ExpressionBuilder<Schema, 'package'>) =>
  where.not(
    where.exists(
      where
        .selectFrom('package_version')
        .select('package_version.id')
        .whereRef('package_version.package_id', '=', 'package.id'),
    ),
  )

/** Removes a package that has no version left. */
export const deletePackageWithoutVersions = (tx: Tx, id: PackageId) =>
  tx.deleteFrom('package').where('id', '=', id).where(isEmptyPackage).execute()

export const updatePackageRepo = (tx: Tx, id: PackageId, repoId: RepoId | null) =>
  tx.updateTable('package').set({ repo_id: repoId }).where('id', '=', id).execute()

/** Takes all packages from a repository. */
export const unlinkAllFrom = (tx: Tx, repoId: RepoId) =>
  tx.updateTable('package').set({ repo_id: null }).where('repo_id', '=', repoId).execute()

/** Makes a version of a package that is held. */
export const insertVersion = (tx: Tx, values: NewPackageVersionRow): Promise<PackageVersionRow> =>
  tx.insertInto('package_version').values(values).returningAll().executeTakeFirstOrThrow()

export const findVersionOf = (
  tx: Tx,
  packageId: PackageId,
  lowerVersion: string,
): Promise<PackageVersionRow | undefined> =>
  tx
    .selectFrom('package_version')
    .selectAll()
    .where('package_id', '=', packageId)
    .where('lower_version', '=', lowerVersion)
    .executeTakeFirst()

/** Removes a version whose files are gone; false when it was gone before. */
export const deleteVersionRow = async (tx: Tx, id: PackageVersionId): Promise<boolean> =>
  (await tx.deleteFrom('package_version').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n

export const countDownload = (tx: Tx, id: PackageVersionId) =>
  tx
    .updateTable('package_version')
    .set({ download_count: sql`download_count + 1` })
    .where('id', '=', id)
    .execute()

/** The repository that a package is linked to. */
export const findLinkedRepo = async (db: Db, id: PackageId): Promise<RepoId | undefined> =>
  (await db.selectFrom('package').select('repo_id').where('id', '=', id).executeTakeFirst())?.repo_id ?? undefined
