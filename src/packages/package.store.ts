import { sql, type ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import type { Schema } from '../db/schema.ts'
import { changesRow, countRows, hasRow } from '../db/rows.ts'
import type { NewPackageRow, NewPackageVersionRow, PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import type { PackageId, PackageVersionId, RepoId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** A version with its package's name and linked repository. */
export type VersionRecord = PackageVersionRow & Pick<PackageRow, 'name' | 'lower_name' | 'repo_id'>

/** The unique key of a package. `lowerName` is in lower case. */
export interface PackageKey {
  readonly ownerId: UserId
  readonly type: string
  readonly lowerName: string
}

export interface VersionFilter {
  readonly ownerId: UserId
  readonly type?: string | undefined
  /** A part of the name; the letter case is ignored. */
  readonly text?: string | undefined
}

const records = (db: Db) =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id'])

/** A name is matched against packages, because an owner has fewer packages than versions. */
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

/** Lists versions of all packages of an owner, the newest first. Skipped versions cost an index entry each, not a row. */
export async function listVersions(db: Db, filter: VersionFilter, page: Page): Promise<VersionRecord[]> {
  const rows = await db
    .selectFrom('package_version')
    .select('package_version.id')
    .where(isWanted(filter))
    .orderBy('package_version.created_unix', 'desc')
    .orderBy('package_version.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const ids = rows.map((row) => row.id)
  const found = await loadVersions(db, ids)
  return ids.flatMap((id) => found.get(id) ?? [])
}

export const countVersions = (db: Db | Tx, filter: VersionFilter): Promise<number> =>
  countRows(db.selectFrom('package_version').where(isWanted(filter)))

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

/** Loads versions by id and leaves out missing ones. */
export async function loadVersions(
  db: Db,
  ids: readonly PackageVersionId[],
): Promise<ReadonlyMap<PackageVersionId, VersionRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await records(db).where('package_version.id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lists any versions of an account that is being deleted. */
export const listSomeVersions = (db: Db, ownerId: UserId, limit: number): Promise<VersionRecord[]> =>
  records(db).where('package_version.owner_id', '=', ownerId).orderBy('package_version.id').limit(limit).execute()

export const ownsPackages = (tx: Tx, ownerId: UserId): Promise<boolean> =>
  hasRow(tx.selectFrom('package').where('owner_id', '=', ownerId))

/**
 * Returns a package and locks its row until the transaction ends. Every change of a package, its versions or files
 * locks the
 * row first. SQLite has one writer, so it needs no lock.
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
  return query.forUpdate().executeTakeFirst()
}

/** Like `findPackageForUpdate`, by id. */
export function lockPackage(tx: Tx, id: PackageId): Promise<PackageRow | undefined> {
  const query = tx.selectFrom('package').selectAll().where('id', '=', id)
  return query.forUpdate().executeTakeFirst()
}

/** Inserts a package; returns undefined when the name is taken. */
export const insertPackage = (tx: Tx, values: NewPackageRow): Promise<PackageRow | undefined> =>
  tx
    .insertInto('package')
    .values(values)
    .onConflict((conflict) => conflict.columns(['owner_id', 'type', 'lower_name']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** The condition that a package has no version. */
export const isEmptyPackage = (where: ExpressionBuilder<Schema, 'package'>) =>
  where.not(
    where.exists(
      where
        .selectFrom('package_version')
        .select('package_version.id')
        .whereRef('package_version.package_id', '=', 'package.id'),
    ),
  )

/** Deletes a package unless it has a version. */
export const deletePackageWithoutVersions = (tx: Tx, id: PackageId) =>
  tx.deleteFrom('package').where('id', '=', id).where(isEmptyPackage).execute()

export const updatePackageRepo = (tx: Tx, id: PackageId, repoId: RepoId | null) =>
  tx.updateTable('package').set({ repo_id: repoId }).where('id', '=', id).execute()

/** Unlinks all packages from a repository. */
export const unlinkAllFrom = (tx: Tx, repoId: RepoId) =>
  tx.updateTable('package').set({ repo_id: null }).where('repo_id', '=', repoId).execute()

/** Inserts a version of a package whose row is locked. */
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

/** Deletes a version without files; returns false when it is gone. */
export const deleteVersionRow = (tx: Tx, id: PackageVersionId): Promise<boolean> =>
  changesRow(tx.deleteFrom('package_version').where('id', '=', id))

export const countDownload = (tx: Tx, id: PackageVersionId) =>
  tx
    .updateTable('package_version')
    .set({ download_count: sql`download_count + 1` })
    .where('id', '=', id)
    .execute()

/** Returns the repository that a package is linked to. */
export const findLinkedRepo = async (db: Db, id: PackageId): Promise<RepoId | undefined> =>
  (await db.selectFrom('package').select('repo_id').where('id', '=', id).executeTakeFirst())?.repo_id ?? undefined
