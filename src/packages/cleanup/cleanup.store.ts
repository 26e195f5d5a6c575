import { sql, type Expression, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { stepByStep } from '../../db/steps.ts'
import type { PackageVersionTable } from '../../db/tables/packages.ts'
import type { PackageId, PackageVersionId, UserId } from '../../lib/ids.ts'
import { manifestFile } from '../container/contents.ts'
import type { Candidate } from './cleanup.rules.ts'

/** A package and its number of versions. */
export interface PackageWithCount {
  readonly id: PackageId
  readonly name: string
  readonly lowerName: string
  readonly versions: number
}

/** A position among packages by name. */
export interface NamePosition {
  readonly name: string
  /** Whether the package of this name is included. */
  readonly isIncluded: boolean
}

/** Lists packages in a registry of an owner by name, from a position on. */
export async function listPackagesFrom(
  db: Db,
  ownerId: UserId,
  type: string,
  from: NamePosition,
  limit: number,
): Promise<PackageWithCount[]> {
  const rows = await db
    .selectFrom('package')
    .select((select) => [
      'package.id',
      'package.name',
      'package.lower_name as lowerName',
      select
        .selectFrom('package_version')
        .select((inner) => inner.fn.countAll<number | string>().as('count'))
        .whereRef('package_version.package_id', '=', 'package.id')
        .where('package_version.is_internal', '=', false)
        .as('versions'),
    ])
    .where('package.owner_id', '=', ownerId)
    .where('package.type', '=', type)
    .where('package.lower_name', from.isIncluded ? '>=' : '>', from.name)
    .orderBy('package.lower_name')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, versions: Number(row.versions) }))
}

const shown = (db: Db, versions: RawBuilder<Selectable<PackageVersionTable>> = sql`package_version`) =>
  db
    .selectFrom(versions.as('package_version'))
    .select([
      'id',
      'package_id as packageId',
      'version',
      'lower_version as lowerVersion',
      'created_unix as createdUnix',
    ])
    .where('is_internal', '=', false)

export type VersionName = Awaited<ReturnType<typeof listVersionNames>>[number]

/** Lists all versions of packages. */
export function listVersionNames(db: Db, packageIds: readonly PackageId[]) {
  const wanted = { table: 'wanted', rows: idList(db, idListText(packageIds)), where: sql<SqlBool>`1 = 1` }
  const isOfWanted = sql<SqlBool>`package_version.package_id = wanted.value`
  // For few packages PostgreSQL would otherwise scan the versions of all packages.
  const ofEach = stepByStep(db, wanted, { table: 'package_version', where: isOfWanted })
  return shown(db, sql`(select package_version.* ${ofEach})`).execute()
}

/** Lists versions of one package by name, after one of them. */
export const pageOfVersionNames = (db: Db, packageId: PackageId, after: string, limit: number) =>
  shown(db)
    .where('package_id', '=', packageId)
    .where('lower_version', '>', after)
    .orderBy('lower_version')
    .limit(limit)
    .execute()

/** Loads what a rule needs about versions, without those whose files are gone. */
export async function loadCandidates(db: Db, versions: readonly VersionName[]): Promise<Candidate[]> {
  if (versions.length === 0) return []
  const ids = idList(db, idListText(versions.map(({ id }) => id))) as Expression<PackageVersionId>
  const [files, tags] = await Promise.all([
    db
      .selectFrom('package_file')
      .select((select) => [
        'version_id',
        select.fn.max('created_unix').as('changed'),
        select.fn.max('id').as('last'),
        select.fn.sum<number | string>('size_bytes').as('size'),
      ])
      .where('version_id', 'in', ids)
      .groupBy('version_id')
      .execute(),
    db.selectFrom('package_tag').select('version_id').where('version_id', 'in', ids).execute(),
  ])
  const tagged = new Set(tags.map((tag) => tag.version_id))
  const byVersion = new Map(files.map((file) => [file.version_id, file]))
  return versions.flatMap(({ id, packageId, version, createdUnix }) => {
    const file = byVersion.get(id)
    if (!file) return []
    const changedUnix = Math.max(createdUnix, file.changed)
    const sizeBytes = Number(file.size)
    return [{ id, packageId, version, changedUnix, lastFileId: file.last, sizeBytes, hasTag: tagged.has(id) }]
  })
}

/** Loads the digests of the manifests of image versions, and the digests that they refer to. */
export async function loadManifests(db: Db, ids: readonly PackageVersionId[]) {
  if (ids.length === 0) return { manifests: [], references: [] }
  const [manifests, references] = await Promise.all([
    db
      .selectFrom('package_file')
      .innerJoin('package_blob', 'package_blob.id', 'package_file.blob_id')
      .select(['package_file.version_id', 'package_blob.sha256', 'package_blob.sha512'])
      .where('package_file.version_id', 'in', ids)
      .where('package_file.lower_name', '=', manifestFile)
      .execute(),
    db
      .selectFrom('package_reference')
      .select(['version_id', 'digest', 'is_subject'])
      .where('version_id', 'in', ids)
      .execute(),
  ])
  return { manifests, references }
}

/** Returns whether a version has no newer file and no new tag since the decision. The package row must be locked. */
export async function isUnchanged(tx: Tx, { id, lastFileId }: Candidate): Promise<boolean> {
  const newer = tx.selectFrom('package_file').select('id').where('version_id', '=', id).where('id', '>', lastFileId)
  const tag = tx.selectFrom('package_tag').select('name').where('version_id', '=', id)
  return !(await newer.limit(1).executeTakeFirst()) && !(await tag.limit(1).executeTakeFirst())
}

/** Returns whether an index needs the version's manifest and no other version has that manifest. */
export async function isNeededByIndex(tx: Tx, { id, packageId }: Candidate, sha256: string): Promise<boolean> {
  const index = await tx
    .selectFrom('package_reference')
    .select('version_id')
    .where('package_id', '=', packageId)
    .where('digest', '=', `sha256:${sha256}`)
    .where('is_subject', '=', false)
    .where('version_id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  if (!index) return false
  const other = await tx
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package_blob', 'package_blob.id', 'package_file.blob_id')
    .select('package_version.id')
    .where('package_blob.sha256', '=', sha256)
    .where('package_version.package_id', '=', packageId)
    .where('package_version.id', '<>', id)
    .where('package_file.lower_name', '=', manifestFile)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}
