import type { Db } from '../db/database.ts'
import { countRows } from '../db/rows.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { PackageFileRow, PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import type { ReleaseId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** Returns a query of the files that are charged to an owner. Files without stored bytes, such as links, are not charged. */
const attachmentsOf = (db: Db, ownerId: UserId) =>
  db
    .selectFrom('attachment')
    .where('attachment.repo_id', 'in', (from) =>
      from.selectFrom('repo').select('repo.id').where('owner_id', '=', ownerId),
    )
    .where('attachment.size_bytes', '>', 0)

/** Returns a page of the files that are charged to an owner, largest first. */
export const listAttachmentsOf = (db: Db, ownerId: UserId, page: Page): Promise<AttachmentRow[]> =>
  db
    .selectFrom('attachment')
    .selectAll()
    // The inner query needs only ids and sizes, which an index contains.
    .where('id', 'in', (from) =>
      from
        .selectFrom(
          attachmentsOf(db, ownerId)
            .select('attachment.id')
            .orderBy('attachment.size_bytes', 'desc')
            .orderBy('attachment.id')
            .limit(page.limit)
            .offset(page.offset)
            .as('chosen'),
        )
        .select('chosen.id'),
    )
    .orderBy('size_bytes', 'desc')
    .orderBy('id')
    .execute()

export const countAttachmentsOf = (db: Db, ownerId: UserId): Promise<number> => countRows(attachmentsOf(db, ownerId))

/** Returns the tags of releases by release id. */
export async function loadTagsOfReleases(
  db: Db,
  ids: readonly (ReleaseId | null)[],
): Promise<ReadonlyMap<ReleaseId, string>> {
  const wanted = ids.filter((id) => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('release').select(['id', 'tag_name']).where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row.tag_name]))
}

/** A package file with its package and version. */
export type StoredPackageFile = Pick<PackageFileRow, 'size_bytes'> &
  Pick<PackageVersionRow, 'version' | 'lower_version' | 'type' | 'is_internal'> &
  Pick<PackageRow, 'name' | 'lower_name'>

const packageFilesOf = (db: Db, ownerId: UserId) =>
  db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .where('package_version.owner_id', '=', ownerId)

/** Returns a page of the files in an owner's packages, largest first. */
export const listPackageFilesOf = (db: Db, ownerId: UserId, page: Page): Promise<StoredPackageFile[]> =>
  packageFilesOf(db, ownerId)
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .select([
      'package_file.size_bytes',
      'package_version.version',
      'package_version.lower_version',
      'package_version.type',
      'package_version.is_internal',
      'package.name',
      'package.lower_name',
    ])
    .orderBy('package_file.size_bytes', (order) => order.desc())
    .orderBy('package_file.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countPackageFilesOf = (db: Db, ownerId: UserId): Promise<number> => countRows(packageFilesOf(db, ownerId))
