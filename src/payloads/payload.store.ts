import type { Db, Tx } from '../db/database.ts'
import type { ReviewRow } from '../db/tables/pulls.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { VersionRecord } from '../packages/package.store.ts'
import type { PackageVersionId, ReleaseId, ReviewId, TeamId, UserId } from '../lib/ids.ts'

/** Loads the members of teams, by the id of the team. */
export async function listMembersOfTeams(
  db: Db | Tx,
  teamIds: readonly TeamId[],
): Promise<ReadonlyMap<TeamId, readonly UserId[]>> {
  if (teamIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('team_user')
    .select(['team_id', 'user_id'])
    .where('team_id', 'in', teamIds)
    .orderBy('user_id')
    .execute()
  const members = new Map<TeamId, UserId[]>(teamIds.map((id) => [id, []]))
  for (const row of rows) members.get(row.team_id)?.push(row.user_id)
  return members
}

/** Loads reviews by their ids. */
export async function loadReviews(db: Db | Tx, ids: readonly ReviewId[]): Promise<ReadonlyMap<ReviewId, ReviewRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('review').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Loads releases by their ids. */
export async function loadReleases(
  db: Db | Tx,
  ids: readonly ReleaseId[],
): Promise<ReadonlyMap<ReleaseId, ReleaseRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('release').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Loads versions of packages by their ids. */
export async function loadVersions(
  db: Db | Tx,
  ids: readonly PackageVersionId[],
): Promise<ReadonlyMap<PackageVersionId, VersionRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id'])
    .where('package_version.id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
