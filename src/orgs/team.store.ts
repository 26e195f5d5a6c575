import { accountsShownTo } from '../access/conditions/account-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import { bytewise } from '../db/bytewise.ts'
import type { Db, Tx } from '../db/database.ts'
import { contains, lowerContains } from '../db/like.ts'
import { changesRow, countRows, hasRow } from '../db/rows.ts'
import type { AccessMode, TeamRow, TeamUnitRow, UserRow } from '../db/tables/accounts.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'
import type { RepoId, TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

export interface NewTeamRow {
  readonly org_id: UserId
  readonly name: string
  readonly lower_name: string
  readonly description: string
  readonly access_mode: AccessMode
  readonly includes_all_repositories: boolean
  readonly can_create_org_repo: boolean
  readonly created_unix: number
}

export const findTeam = (db: Db, id: TeamId): Promise<TeamRow | undefined> =>
  db.selectFrom('team').selectAll().where('id', '=', id).executeTakeFirst()

export const findTeamByName = (db: Db, orgId: UserId, lowerName: string): Promise<TeamRow | undefined> =>
  db.selectFrom('team').selectAll().where('org_id', '=', orgId).where('lower_name', '=', lowerName).executeTakeFirst()

/** Returns the owners' team: the only one with access mode 4. */
export const findOwnersTeam = (db: Db | Tx, orgId: UserId): Promise<TeamRow | undefined> =>
  db.selectFrom('team').selectAll().where('org_id', '=', orgId).where('access_mode', '=', 4).executeTakeFirst()

export const loadTeams = async (db: Db | Tx, ids: readonly TeamId[]): Promise<TeamRow[]> =>
  ids.length === 0 ? [] : db.selectFrom('team').selectAll().where('id', 'in', ids).execute()

export const listTeamUnits = (db: Db, teamIds: readonly TeamId[]): Promise<TeamUnitRow[]> =>
  db.selectFrom('team_unit').selectAll().where('team_id', 'in', teamIds).orderBy(bytewise(db, 'unit')).execute()

export interface TeamFilter {
  /** Only teams of organizations that this viewer may see. */
  readonly shownTo: Viewer | undefined
  readonly orgId?: UserId | undefined
  /** Only teams that this person is on. */
  readonly memberId?: UserId | undefined
  /** A part of the name. Letter case does not matter. */
  readonly text?: string | undefined
  readonly alsoDescription?: boolean | undefined
}

function filteredTeams(db: Db, { shownTo, orgId, memberId, text, alsoDescription }: TeamFilter) {
  let query = db.selectFrom('team').innerJoin('user', 'user.id', 'team.org_id').where(accountsShownTo(shownTo))
  if (orgId !== undefined) query = query.where('team.org_id', '=', orgId)
  if (memberId !== undefined) {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('team_user')
          .select('team_user.team_id')
          .whereRef('team_user.team_id', '=', 'team.id')
          .where('team_user.user_id', '=', memberId),
      ),
    )
  }
  if (text) {
    query = query.where((where) =>
      where.or([
        lowerContains('team.lower_name', text),
        ...(alsoDescription ? [contains('team.description', text)] : []),
      ]),
    )
  }
  return query
}

export const listTeams = (db: Db, filter: TeamFilter, page: Page): Promise<TeamRow[]> =>
  filteredTeams(db, filter)
    .selectAll('team')
    .orderBy(bytewise(db, 'team.lower_name'))
    .orderBy('team.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countTeams = (db: Db, filter: TeamFilter): Promise<number> => countRows(filteredTeams(db, filter))

/** Returns the teams that hold a repository: by a row, for all repositories, or as owners. Highest access first. */
export const listTeamsOfRepo = (db: Db, orgId: UserId, repoId: RepoId): Promise<TeamRow[]> =>
  db
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', orgId)
    .where((where) =>
      where.or([
        where('includes_all_repositories', '=', true),
        where('access_mode', '=', 4),
        where.exists(
          where
            .selectFrom('team_repo')
            .select('team_repo.repo_id')
            .whereRef('team_repo.team_id', '=', 'team.id')
            .where('team_repo.repo_id', '=', repoId),
        ),
      ]),
    )
    .orderBy('access_mode', (order) => order.desc())
    .orderBy(bytewise(db, 'lower_name'))
    .execute()

export const insertTeam = (tx: Tx, values: NewTeamRow): Promise<TeamRow> =>
  tx.insertInto('team').values(values).returningAll().executeTakeFirstOrThrow()

export const updateTeam = (tx: Tx, id: TeamId, change: Partial<NewTeamRow>): Promise<TeamRow> =>
  tx.updateTable('team').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Returns a team and locks its row until the transaction ends. */
export const findTeamForUpdate = (tx: Tx, id: TeamId): Promise<TeamRow | undefined> =>
  tx
    .updateTable('team')
    .set((set) => ({ name: set.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes a team and its rows for units, members and repositories. */
export const deleteTeam = (tx: Tx, id: TeamId) => tx.deleteFrom('team').where('id', '=', id).execute()

export async function replaceTeamUnits(
  tx: Tx,
  team: Pick<TeamRow, 'id' | 'org_id'>,
  units: ReadonlyMap<string, AccessMode>,
): Promise<void> {
  const others = tx.deleteFrom('team_unit').where('team_id', '=', team.id)
  await (units.size === 0 ? others : others.where('unit', 'not in', [...units.keys()])).execute()
  if (units.size === 0) return
  // Skips unchanged units, because each change of a unit updates the copied access of each member.
  await tx
    .insertInto('team_unit')
    .values([...units].map(([unit, access_mode]) => ({ team_id: team.id, org_id: team.org_id, unit, access_mode })))
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'unit'])
        .doUpdateSet((row) => ({ access_mode: row.ref('excluded.access_mode') }))
        .whereRef('team_unit.access_mode', '!=', 'excluded.access_mode'),
    )
    .execute()
}

export const isTeamMember = (db: Db | Tx, teamId: TeamId, userId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('team_user').where('team_id', '=', teamId).where('user_id', '=', userId))

export const listTeamMembers = (db: Db, teamId: TeamId, page: Page): Promise<UserRow[]> =>
  db
    .selectFrom('team_user')
    .innerJoin('user', 'user.id', 'team_user.user_id')
    .selectAll('user')
    .where('team_user.team_id', '=', teamId)
    .orderBy(bytewise(db, 'user.full_name'))
    .orderBy(bytewise(db, 'user.lower_name'))
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countTeamMembers = (db: Db | Tx, teamId: TeamId): Promise<number> =>
  countRows(db.selectFrom('team_user').where('team_id', '=', teamId))

export const listTeamMemberIds = async (db: Db | Tx, teamId: TeamId): Promise<UserId[]> =>
  (await db.selectFrom('team_user').select('user_id').where('team_id', '=', teamId).execute()).map((row) => row.user_id)

/** Returns the members of the teams that hold each repository of an organization: owners, and teams for all repositories. */
export const listAllRepoMemberIds = async (db: Db | Tx, orgId: UserId): Promise<UserId[]> =>
  (
    await db
      .selectFrom('team_user')
      .innerJoin('team', 'team.id', 'team_user.team_id')
      .select('team_user.user_id')
      .distinct()
      .where('team.org_id', '=', orgId)
      .where((where) =>
        where.or([where('team.includes_all_repositories', '=', true), where('team.access_mode', '=', 4)]),
      )
      .execute()
  ).map((row) => row.user_id)

/** Inserts a team membership unless it exists. */
export const insertTeamMember = (tx: Tx, team: Pick<TeamRow, 'id' | 'org_id'>, userId: UserId) =>
  tx
    .insertInto('team_user')
    .values({ team_id: team.id, org_id: team.org_id, user_id: userId })
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .execute()

/** Deletes a team membership and returns whether it existed. */
export const deleteTeamMember = (tx: Tx, teamId: TeamId, userId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('team_user').where('team_id', '=', teamId).where('user_id', '=', userId))

/** Deletes an account's team memberships in an organization and returns the teams. */
export const deleteTeamMemberships = (tx: Tx, orgId: UserId, userId: UserId) =>
  tx.deleteFrom('team_user').where('org_id', '=', orgId).where('user_id', '=', userId).returning('team_id').execute()

/** Returns an account's teams in an organization. */
export const listTeamsOfMember = (db: Db | Tx, orgId: UserId, userId: UserId): Promise<TeamRow[]> =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .selectAll('team')
    .where('team_user.org_id', '=', orgId)
    .where('team_user.user_id', '=', userId)
    .execute()

/** Lists a person's teams in an organization, with each team's access and its access to a unit. */
export const listTeamsWithUnit = (db: Db, orgId: UserId, userId: UserId, unit: RepoUnit) =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .leftJoin('team_unit', (join) => join.onRef('team_unit.team_id', '=', 'team.id').on('team_unit.unit', '=', unit))
    .select(['team.access_mode', 'team_unit.access_mode as unit_mode'])
    .where('team_user.org_id', '=', orgId)
    .where('team_user.user_id', '=', userId)
    .execute()

/** Returns the teams of accounts in an organization, by name. */
export const listTeamsOfMembers = (
  db: Db,
  orgId: UserId,
  userIds: readonly UserId[],
): Promise<(TeamRow & { readonly user_id: UserId })[]> =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .selectAll('team')
    .select('team_user.user_id')
    .where('team_user.org_id', '=', orgId)
    .where('team_user.user_id', 'in', userIds)
    .orderBy(bytewise(db, 'team.lower_name'))
    .execute()

/** Returns the number of members of each team that has members. */
export const countMembersOfTeams = (db: Db, teamIds: readonly TeamId[]) =>
  db
    .selectFrom('team_user')
    .select((select) => ['team_id', select.fn.countAll<number>().as('count')])
    .where('team_id', 'in', teamIds)
    .groupBy('team_id')
    .execute()

/** Returns the number of repositories given to each team that has any. */
export const countReposOfTeams = (db: Db, teamIds: readonly TeamId[]) =>
  db
    .selectFrom('team_repo')
    .select((select) => ['team_id', select.fn.countAll<number>().as('count')])
    .where('team_id', 'in', teamIds)
    .groupBy('team_id')
    .execute()

/** Lists, by name, the organizations where a person may create repositories: as an owner or through a team. */
export const listOrgsForNewRepos = (db: Db, userId: UserId, limit: number): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', (where) =>
      where
        .selectFrom('team_user')
        .innerJoin('team', 'team.id', 'team_user.team_id')
        .select('team_user.org_id')
        .where('team_user.user_id', '=', userId)
        .where((team) => team.or([team('team.access_mode', '=', 4), team('team.can_create_org_repo', '=', true)])),
    )
    .orderBy(bytewise(db, 'lower_name'))
    .limit(limit)
    .execute()

/** Returns whether the team has a row for the repository. */
export const hasTeamRepo = (db: Db, teamId: TeamId, repoId: RepoId): Promise<boolean> =>
  hasRow(db.selectFrom('team_repo').where('team_id', '=', teamId).where('repo_id', '=', repoId))

/** Inserts a team's rows for repositories and returns the new ones. */
export const insertTeamRepos = async (
  tx: Tx,
  team: Pick<TeamRow, 'id' | 'org_id'>,
  repoIds: readonly RepoId[],
): Promise<RepoId[]> => {
  if (repoIds.length === 0) return []
  const added = await tx
    .insertInto('team_repo')
    .values(repoIds.map((repo_id) => ({ team_id: team.id, org_id: team.org_id, repo_id })))
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .returning('repo_id')
    .execute()
  return added.map((row) => row.repo_id)
}

/** Inserts a team's rows for every repository of its organization. */
export const insertAllTeamRepos = (tx: Tx, team: Pick<TeamRow, 'id' | 'org_id'>) =>
  tx
    .insertInto('team_repo')
    .columns(['team_id', 'org_id', 'repo_id'])
    .expression((select) =>
      select
        .selectFrom('repo')
        .select((column) => [column.val(team.id).as('team_id'), 'repo.owner_id as org_id', 'repo.id as repo_id'])
        .where('repo.owner_id', '=', team.org_id),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'repo_id']).doNothing())
    .execute()

export const deleteTeamRepo = (tx: Tx, teamId: TeamId, repoId: RepoId): Promise<boolean> =>
  changesRow(tx.deleteFrom('team_repo').where('team_id', '=', teamId).where('repo_id', '=', repoId))
