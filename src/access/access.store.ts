import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { teamHoldsAll, teamsOfMembers } from './conditions/team-holds.store.ts'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { preparedQueries, preparedQuery } from '../db/prepared.ts'
import { stepByStep } from '../db/steps.ts'
import { hasRow } from '../db/rows.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { repoUnits, type RepoRow, type RepoUnitRow } from '../db/tables/repositories.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import type { TeamGrant } from './rights.ts'

const accountByName = preparedQuery((db, lowerName: string) =>
  db.selectFrom('user').selectAll().where('lower_name', '=', lowerName),
)

export const findAccountByName = async (db: Db, lowerName: string): Promise<UserRow | undefined> =>
  (await accountByName(db, lowerName))[0]

/** Returns the account that a former name redirects to. */
export const findAccountByFormerName = (db: Db, lowerName: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('user_redirect')
    .innerJoin('user', 'user.id', 'user_redirect.user_id')
    .selectAll('user')
    .where('user_redirect.lower_name', '=', lowerName)
    .executeTakeFirst()

const repoByName = preparedQuery((db, ownerId: UserId, lowerName: string) =>
  db.selectFrom('repo').selectAll().where('owner_id', '=', ownerId).where('lower_name', '=', lowerName),
)

export const findRepoByName = async (db: Db, ownerId: UserId, lowerName: string): Promise<RepoRow | undefined> =>
  (await repoByName(db, ownerId, lowerName))[0]

/** Returns the current owner and name of the repository that a former name redirects to. */
export const findRepoByFormerName = (db: Db, ownerId: UserId, lowerName: string) =>
  db
    .selectFrom('repo_redirect')
    .innerJoin('repo', 'repo.id', 'repo_redirect.repo_id')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['user.name as owner_name', 'repo.name as repo_name'])
    .where('repo_redirect.owner_id', '=', ownerId)
    .where('repo_redirect.lower_name', '=', lowerName)
    .executeTakeFirst()

const unitsOfRepo = preparedQuery((db, repoId: RepoId) =>
  db.selectFrom('repo_unit').selectAll().where('repo_id', '=', repoId),
)

/** Returns the units of a repository that are on. */
export const listUnitsOf = (db: Db, repoId: RepoId): Promise<readonly RepoUnitRow[]> => unitsOfRepo(db, repoId)

const repoOfPath = preparedQueries((db: Db, lowerOwner: string, lowerName: string) => {
  const owners = db.selectFrom('user').where('lower_name', '=', lowerOwner)
  const repos = db.selectFrom('repo').where('owner_id', '=', owners.select('id')).where('lower_name', '=', lowerName)
  return {
    owners: owners.selectAll(),
    repos: repos.selectAll(),
    units: db.selectFrom('repo_unit').selectAll().where('repo_id', '=', repos.select('id')),
  }
})

/** The account and the repository of a path, if they exist, and the units that are on. */
export interface RepoOfPath {
  readonly owner: UserRow | undefined
  readonly repo: RepoRow | undefined
  readonly units: readonly RepoUnitRow[]
}

/** @param names owner and repository in any letter case */
export async function findRepoOfPath(db: Db, owner: string, name: string): Promise<RepoOfPath> {
  const { owners, repos, units } = await repoOfPath(db, owner.toLowerCase(), name.toLowerCase())
  return { owner: owners[0], repo: repos[0], units }
}

const unitsIn = (db: Db, repoIds: string) =>
  db
    .selectFrom('repo_unit')
    .selectAll()
    .where('repo_id', 'in', idList(db, repoIds) as Expression<RepoId>)

const unitsOfRepos = preparedQuery(unitsIn)

/** Returns the units of repositories that are on. */
export const listUnits = (db: Db | Tx, repoIds: readonly RepoId[]): Promise<readonly RepoUnitRow[]> =>
  unitsOfRepos(db, idListText(repoIds))

export const isOrgMember = (db: Db, orgId: UserId, userId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('org_user').where('org_id', '=', orgId).where('user_id', '=', userId))

/**
 * Returns what teams give: one row for each person, repository and distinct grant. Two queries find the teams: by
 * their repositories, and by their members for teams that hold all repositories.
 * @param isUser comparison for `team_user.user_id`, for example `= 1`
 * @param isRepo comparison for `repo.id`
 * @param isOrg comparison for the owner, if it is known
 */
const teamGrants = (
  db: Db,
  isUser: RawBuilder<unknown>,
  isRepo: RawBuilder<unknown>,
  isOrg: RawBuilder<unknown> = sql`in (select owner_id from repo where repo.id ${isRepo})`,
) => {
  const given = sql`select repo.id as repo_id, team.user_id, team.access_mode, team.unit_modes`
  const bySome = stepByStep(
    db,
    { table: 'repo', where: sql<SqlBool>`repo.id ${isRepo}` },
    { table: 'team_repo', where: sql<SqlBool>`team_repo.repo_id = repo.id` },
    teamsOfMembers(
      sql<SqlBool>`team.id = team_repo.team_id and team.user_id ${isUser} and team.org_id = repo.owner_id`,
    ),
  )
  const byAll = stepByStep(
    db,
    teamsOfMembers(sql<SqlBool>`team.user_id ${isUser} and team.org_id ${isOrg} and ${teamHoldsAll}`),
    { table: 'repo', where: sql<SqlBool>`repo.owner_id = team.org_id and repo.id ${isRepo}` },
  )
  return db
    .selectFrom(
      sql<{ repo_id: RepoId; user_id: UserId; access_mode: AccessMode; unit_modes: number }>`(
        ${given} ${bySome} union ${given} ${byAll})`.as('held'),
    )
    .select(['held.repo_id', 'held.user_id', 'held.access_mode', 'held.unit_modes'])
}

const membershipsIn = (db: Db, orgIds: string, userId: UserId) =>
  db
    .selectFrom('org_user')
    .select('org_id')
    .where('org_id', 'in', idList(db, orgIds) as Expression<UserId>)
    .where('user_id', '=', userId)

const membershipsAlone = preparedQuery(membershipsIn)

/** Returns those of the organizations that an account is a member of. */
export const listMemberships = (db: Db, orgIds: readonly UserId[], userId: UserId) =>
  membershipsAlone(db, idListText(orgIds), userId)

const givenIn = preparedQueries((db: Db, repoIds: string, orgIds: string, userId: UserId) => ({
  units: unitsIn(db, repoIds),
  collaborations: db
    .selectFrom('collaboration')
    .select(['repo_id', 'access_mode'])
    .where('repo_id', 'in', idList(db, repoIds) as Expression<RepoId>)
    .where('user_id', '=', userId),
  memberships: membershipsIn(db, orgIds, userId),
  teams: teamGrants(db, sql`= ${userId}`, sql`in ${idList(db, repoIds)}`, sql`in ${idList(db, orgIds)}`),
}))

/**
 * Returns the units of repositories and what an account was given there: collaborations, memberships of the owners,
 * and one row for each repository and grant of a team.
 */
export const listGiven = (db: Db, repoIds: readonly RepoId[], orgIds: readonly UserId[], userId: UserId) =>
  givenIn(db, idListText(repoIds), idListText(orgIds), userId)

const collaborationIn = (db: Db, repoId: RepoId, userId: UserId) =>
  db.selectFrom('collaboration').select('access_mode').where('repo_id', '=', repoId).where('user_id', '=', userId)

const collaborationAlone = preparedQuery(collaborationIn)

const grantsInOrg = preparedQueries((db: Db, repoId: RepoId, userId: UserId, orgId: UserId) => ({
  collaborations: collaborationIn(db, repoId, userId),
  memberships: db.selectFrom('org_user').select('org_id').where('org_id', '=', orgId).where('user_id', '=', userId),
  teams: teamGrants(db, sql`= ${userId}`, sql`= ${repoId}`, sql`= ${orgId}`),
}))

/** Returns the grants of an account in one repository: its collaboration, its membership, and its teams. */
export async function findGrants(
  db: Db,
  owner: UserRow,
  repoId: RepoId,
  userId: UserId,
): Promise<{ collaboration: AccessMode; isMember: boolean; teams: readonly TeamGrant[] }> {
  if (owner.kind === 'individual') {
    const [row] = await collaborationAlone(db, repoId, userId)
    return { collaboration: row?.access_mode ?? 0, isMember: false, teams: [] }
  }
  const { collaborations, memberships, teams } = await grantsInOrg(db, repoId, userId, owner.id)
  return {
    collaboration: collaborations[0]?.access_mode ?? 0,
    isMember: memberships.length > 0,
    teams: teamGrantsOf(teams),
  }
}

/** Returns the grants of several people by teams in one repository. */
export const listTeamGrantsOf = (db: Db, repoId: RepoId, userIds: readonly UserId[]) =>
  teamGrants(db, sql`in (${sql.join([...userIds])})`, sql`= ${repoId}`).execute()

type GivenByTeam = Awaited<ReturnType<typeof listGiven>>['teams'][number]
type TeamGrantRow = Pick<GivenByTeam, 'access_mode' | 'unit_modes'>

/** Parses the grants of teams from rows about one person and one repository. */
export const teamGrantsOf = (rows: readonly TeamGrantRow[]): TeamGrant[] =>
  rows.map(({ access_mode, unit_modes }) => ({
    accessMode: access_mode,
    units: new Map(repoUnits.map((unit, index) => [unit, (Math.floor(unit_modes / 8 ** index) % 8) as AccessMode])),
  }))

/** Groups the grants of teams by repository. */
export const teamGrantsByRepo = (rows: readonly GivenByTeam[]): Map<RepoId, TeamGrant[]> =>
  new Map(
    Array.from(
      Map.groupBy(rows, (row) => row.repo_id),
      ([repoId, ofRepo]) => [repoId, teamGrantsOf(ofRepo)],
    ),
  )
