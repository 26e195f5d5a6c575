import type { Db } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import type { PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import type { RepoId, UserId } from '../lib/ids.ts'

/** A package with its newest version. */
export type ListedPackage = Pick<PackageRow, 'id' | 'type' | 'name' | 'lower_name' | 'repo_id'> &
  Pick<PackageVersionRow, 'version' | 'lower_version' | 'created_unix' | 'download_count' | 'creator_id'>

export interface PackageListFilter {
  readonly ownerId: UserId
  readonly repoId?: RepoId | undefined
  readonly type?: string | undefined
  /** A part of the name; the letter case is ignored. */
  readonly text?: string | undefined
}

/** Returns packages, each with its newest version, those published last first. */
export function listNewestPackages(
  db: Db,
  { ownerId, repoId, type, text }: PackageListFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ListedPackage[]> {
  let query = db
    .selectFrom('package')
    .innerJoin('package_version', (join) =>
      join.onRef('package_version.package_id', '=', 'package.id').on((on) =>
        on(
          'package_version.id',
          '=',
          on
            .selectFrom('package_version as newest')
            .select((select) => select.fn.max('newest.id').as('id'))
            .whereRef('newest.package_id', '=', 'package.id')
            .where('newest.is_internal', '=', false),
        ),
      ),
    )
    .select([
      'package.id',
      'package.type',
      'package.name',
      'package.lower_name',
      'package.repo_id',
      'package_version.version',
      'package_version.lower_version',
      'package_version.created_unix',
      'package_version.download_count',
      'package_version.creator_id',
    ])
    .where('package.owner_id', '=', ownerId)
  if (repoId !== undefined) query = query.where('package.repo_id', '=', repoId)
  if (type) query = query.where('package.type', '=', type)
  if (text) query = query.where(lowerContains('package.lower_name', text))
  return query.orderBy('package_version.id', 'desc').limit(limit).offset(offset).execute()
}
