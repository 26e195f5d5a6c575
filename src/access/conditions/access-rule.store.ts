import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { databaseKind } from '../../db/open.ts'
import { stepByStep, type Step } from '../../db/steps.ts'
import { askAgain } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import type { AccessMode, UserRow, UserTable } from '../../db/tables/accounts.ts'
import type { RepoRow, RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { teamHoldsAll, teamHoldsRepo, teamsOfMembers } from './team-holds.store.ts'

/*
 * Who may do what in a repository, for queries: the rule of decision 0010, which `computeRights` has for rows. Every
 * condition of every query about access is made here.
 */

type Condition = RawBuilder<SqlBool>
/** A part of the rule: known before the database is asked, or for the database to find out. */
type Part = boolean | Condition

function any(...parts: readonly Part[]): Part {
  if (parts.includes(true)) return true
  const unknown = parts.filter((part) => typeof part !== 'boolean')
  return unknown.length === 0 ? false : sql<SqlBool>`(${sql.join(unknown, sql` or `)})`
}

function all(...parts: readonly Part[]): Part {
  if (parts.includes(false)) return false
  const unknown = parts.filter((part) => typeof part !== 'boolean')
  return unknown.length === 0 ? true : sql<SqlBool>`(${sql.join(unknown, sql` and `)})`
}

const not = (part: Part): Part => (typeof part === 'boolean' ? !part : sql<SqlBool>`not ${part}`)

const asCondition = (part: Part): Condition => (typeof part === 'boolean' ? sql<SqlBool>`${sql.lit(part)}` : part)

/** Whose access it is: a viewer (undefined: a guest), or each row of the query's table `user`. */
export type Who = Viewer | undefined | 'user'

/** Which repository: one that is known, or each row of the query's `repo`, which is joined with its owner as `owner`. */
export type Where = { readonly repo: RepoRow; readonly owner: UserRow } | 'repo'

/** What is wanted in the repository. */
export interface Wanted {
  /** In any of these units, some perhaps named by a column of the query; without it, in any at all. */
  readonly units?: readonly (RepoUnit | RawBuilder<RepoUnit>)[]
  /** At least this. */
  readonly mode: Exclude<AccessMode, 0>
  /** Units that are switched off count as if they were on. */
  readonly evenIfOff?: boolean
}

/** A person and a repository, each either known or standing in columns of the query. */
interface Pair {
  /** undefined: a guest. */
  readonly userId: UserId | RawBuilder<unknown> | undefined
  readonly isAdmin: Part
  readonly isRestricted: Part
  readonly limit: Viewer['limit'] | undefined
  readonly repoId: RepoId | 'repo.id'
  readonly ownerId: UserId | RawBuilder<unknown>
  readonly isPrivate: Part
  readonly isPublicOwner: Part
  readonly isPrivateOwner: Part
  /** False when the owner is known to be a person, who has no members and teams. */
  readonly mayHaveTeams: boolean
}

function pairOf(who: Who, where: Where): Pair {
  const person =
    who === 'user'
      ? {
          userId: sql.ref('user.id'),
          isAdmin: sql<SqlBool>`${sql.ref('user.is_admin')}`,
          isRestricted: sql<SqlBool>`${sql.ref('user.is_restricted')}`,
          limit: undefined,
        }
      : {
          userId: who?.id,
          isAdmin: who?.isAdmin ?? false,
          isRestricted: who?.isRestricted ?? false,
          limit: who?.limit,
        }
  if (where !== 'repo') {
    const { repo, owner } = where
    return {
      ...person,
      repoId: repo.id,
      ownerId: owner.id,
      isPrivate: repo.is_private,
      isPublicOwner: owner.visibility === 'public',
      isPrivateOwner: owner.visibility === 'private',
      mayHaveTeams: owner.kind === 'organization',
    }
  }
  return {
    ...person,
    // What is being imported belongs to an account of nobody, and is shown to nobody.
    isAdmin: all(person.isAdmin, sql<SqlBool>`owner.kind <> 'reserved'`),
    repoId: 'repo.id',
    ownerId: sql.ref('repo.owner_id'),
    isPrivate: sql<SqlBool>`repo.is_private`,
    isPublicOwner: sql<SqlBool>`owner.visibility = 'public'`,
    isPrivateOwner: sql<SqlBool>`owner.visibility = 'private'`,
    mayHaveTeams: true,
  }
}

const repoIdOf = ({ repoId }: Pair) => (repoId === 'repo.id' ? sql.ref(repoId) : sql`${repoId}`)

const isOwner = ({ userId, ownerId }: Pair): Part => {
  if (userId === undefined) return false
  return typeof userId === 'number' && typeof ownerId === 'number'
    ? userId === ownerId
    : sql<SqlBool>`${userId} = ${ownerId}`
}

const isMember = ({ userId, ownerId, mayHaveTeams }: Pair): Part =>
  userId !== undefined &&
  mayHaveTeams &&
  sql<SqlBool>`exists (select 1 from org_user where org_user.org_id = ${ownerId} and org_user.user_id = ${userId})`

const collaborates = (pair: Pair, atLeast: AccessMode): Part =>
  pair.userId !== undefined &&
  sql<SqlBool>`exists (select 1 from collaboration where collaboration.repo_id = ${repoIdOf(pair)}
    and collaboration.user_id = ${pair.userId} and collaboration.access_mode >= ${sql.lit(atLeast)})`

/** A team of the person's holds the repository and gives what the condition on `team` says. */
const isOnTeam = ({ userId, ownerId, repoId, mayHaveTeams }: Pair, gives: Part): Part =>
  userId !== undefined &&
  mayHaveTeams &&
  gives !== false &&
  // By the teams that the person is on, not by those that the organization has: it may be asked of many people.
  sql<SqlBool>`exists (select 1 from team_user cross join team
    where team_user.user_id = ${userId} and team_user.org_id = ${ownerId} and team.id = team_user.team_id
      and ${teamHoldsRepo(repoId)} and ${asCondition(gives)})`

const isAdminTeam = sql<SqlBool>`team.access_mode >= 3`

const among = (column: 'repo_unit.unit' | 'team_unit.unit', units: Wanted['units']): Part =>
  units === undefined || (units.length > 0 && sql<SqlBool>`${sql.ref(column)} in (${sql.join(units)})`)

/** The team's own mode in one of the units, which is switched on. */
const teamUnitGives = (pair: Pair, { units, mode, evenIfOff }: Wanted): Part => {
  const isOn =
    evenIfOff ||
    sql<SqlBool>`exists (select 1 from repo_unit where repo_unit.repo_id = ${repoIdOf(pair)}
      and repo_unit.unit = team_unit.unit)`
  const wanted = all(among('team_unit.unit', units), isOn)
  return (
    wanted !== false &&
    sql<SqlBool>`exists (select 1 from team_unit where team_unit.team_id = team.id
      and team_unit.access_mode >= ${sql.lit(mode)} and ${asCondition(wanted)})`
  )
}

/** One of the units is switched on, as code always is; with a default access of its own when that is asked for. */
const hasUnit = (pair: Pair, { units }: Wanted, defaultAccess: AccessMode = 0): Part => {
  if (defaultAccess === 0 && (units === undefined || units.includes('code'))) return true
  const wanted = all(
    among('repo_unit.unit', units),
    defaultAccess === 0 || sql<SqlBool>`repo_unit.default_access >= ${sql.lit(defaultAccess)}`,
  )
  return (
    wanted !== false &&
    // A value, and no `exists`, for which PostgreSQL reads the whole table: this is one look into the index for each row.
    sql<SqlBool>`(select 1 from repo_unit where repo_unit.repo_id = ${repoIdOf(pair)}
      and ${asCondition(wanted)} limit 1) is not null`
  )
}

/** The repository is open to the person: it is public, and the person may come to its owner, as `comesBy` says at least. */
const isOpen = (pair: Pair, comesBy: Part = false): Part => {
  const comes = pair.userId === undefined ? pair.isPublicOwner : any(not(pair.isPrivateOwner), isMember(pair), comesBy)
  return all(not(pair.isPrivate), not(pair.isRestricted), comes)
}

/** What was given to the person: as owner, collaborator or member of a team. */
function given(pair: Pair, wanted: Wanted): Part {
  const isOn = wanted.evenIfOff || hasUnit(pair, wanted)
  const byTeam = any(all(isAdminTeam, isOn), teamUnitGives(pair, wanted))
  return any(all(any(isOwner(pair), collaborates(pair, wanted.mode)), isOn), isOnTeam(pair, byTeam))
}

/** What everybody has who may enter. Collaborators, who may enter any way, can read by what they were given. */
const open = (pair: Pair, wanted: Wanted): Part =>
  wanted.mode === 1
    ? all(isOpen(pair), wanted.evenIfOff || hasUnit(pair, wanted))
    : pair.userId !== undefined && all(isOpen(pair, collaborates(pair, 1)), hasUnit(pair, wanted, wanted.mode))

/** Guests may enter the repository: it is public, and so is its owner. */
const isPublic = ({ repoId, isPrivate, isPublicOwner }: Pair): Part =>
  repoId === 'repo.id' ? sql<SqlBool>`repo.audience = 0` : all(not(isPrivate), isPublicOwner)

/** Applies what the credential is limited to. */
function limited(pair: Pair, wanted: Wanted, ofAccount: Part): Part {
  const { limit } = pair
  if (limit?.repo) {
    const isIt = pair.repoId === 'repo.id' ? sql<SqlBool>`repo.id = ${limit.repo.id}` : pair.repoId === limit.repo.id
    return all(limit.repo.mode >= wanted.mode, isIt, wanted.evenIfOff || hasUnit(pair, wanted))
  }
  return all(limit?.publicOnly ? isPublic(pair) : true, ofAccount)
}

/**
 * That somebody may do something in units of a repository: `Rights.modeOf(unit) >= mode` for one of them. A condition
 * for queries that have what `who` and `where` name.
 */
export function mayAccess(who: Who, where: Where, wanted: Wanted): Condition {
  const pair = pairOf(who, where)
  const isOn = wanted.evenIfOff || hasUnit(pair, wanted)
  return asCondition(limited(pair, wanted, any(all(pair.isAdmin, isOn), open(pair, wanted), given(pair, wanted))))
}

/** Returns that a viewer reads issues or pull requests of a row of `repo`, which the query joins with its `owner`. */
export const readsIssues = (viewer: Viewer | undefined): Condition =>
  mayAccess(viewer, 'repo', { units: ['issues', 'pulls'], mode: 1 })

/** Like `mayAccess`, by what was given to the person alone: not as an administrator, not because all may. */
export const wasGiven = (who: Who, where: Where, wanted: Wanted): Condition => {
  const pair = pairOf(who, where)
  return asCondition(limited(pair, wanted, given(pair, wanted)))
}

/** Like `wasGiven`, by a team alone. */
export const wasGivenByTeam = (who: Who, where: Where, wanted: Wanted): Condition => {
  const pair = pairOf(who, where)
  const isOn = wanted.evenIfOff || hasUnit(pair, wanted)
  return asCondition(limited(pair, wanted, isOnTeam(pair, any(all(isAdminTeam, isOn), teamUnitGives(pair, wanted)))))
}

/**
 * Repositories that are open to somebody by something other than their audience (`repo.audience`, which the database keeps
 * with each): owned, collaborated on, of an organization that shows its members what it hides, or held by a team. A set that
 * is asked for once, however many repositories a query goes through.
 * @param db where it is known which one is asked
 */
function nearRepos(viewer: Viewer, byTeam: Part, db?: Db): RawBuilder<RepoId> {
  const least = sql.lit(viewer.isRestricted ? 0 : 2)
  // Tables are come to in this order: by what was given to the viewer, never by what there is. Teams are those of organizations
  // that hide anything; those that hold all are apart from those that were given some, so that many teams of one organization
  // are not asked of each repository it has.
  const hiding: Step = {
    table: 'hiding',
    rows: sql`(select distinct org_id from team_user where user_id = ${viewer.id})`,
    where: sql<SqlBool>`(select 1 from repo where repo.owner_id = hiding.org_id and repo.audience >= ${least} limit 1) is not null`,
  }
  const ofViewer = sql<SqlBool>`team.user_id = ${viewer.id} and team.org_id = hiding.org_id`
  const isOfTeam = sql<SqlBool>`repo.audience >= ${least} and ${asCondition(byTeam)}`
  const reposBy = (first: Step, ...others: readonly Step[]) =>
    sql` union all select repo.id ${stepByStep(db, first, ...others)}`
  const teams =
    byTeam === false
      ? []
      : [
          reposBy(hiding, teamsOfMembers(sql<SqlBool>`${ofViewer} and ${teamHoldsAll}`), {
            table: 'repo',
            where: sql<SqlBool>`repo.owner_id = team.org_id and ${isOfTeam}`,
          }),
          reposBy(
            hiding,
            teamsOfMembers(ofViewer),
            { table: 'team_repo', where: sql<SqlBool>`team_repo.team_id = team.id` },
            {
              table: 'repo',
              where: sql<SqlBool>`repo.id = team_repo.repo_id and repo.owner_id = team.org_id and ${isOfTeam}`,
            },
          ),
        ]
  const shownToMembers = viewer.isRestricted
    ? []
    : [
        reposBy(
          { table: 'org_user', where: sql<SqlBool>`org_user.user_id = ${viewer.id}` },
          { table: 'repo', where: sql<SqlBool>`repo.owner_id = org_user.org_id and repo.audience = 2` },
        ),
      ]
  return sql`(select repo.id from repo where repo.owner_id = ${viewer.id} and repo.audience >= ${least}
    union all select repo_id from collaboration
      where user_id = ${viewer.id} and audience >= ${least} and access_mode >= 1${sql.join([...shownToMembers, ...teams], sql``)})`
}

/** The largest `repo.audience` that is open to somebody who was given nothing; -1: none is. */
export const openAudience = (viewer: Viewer | undefined): number =>
  viewer === undefined ? 0 : viewer.isAdmin ? 3 : viewer.isRestricted ? -1 : 1

/** Rows of `repo` that the account of a viewer may come to, whatever the credential is limited to. */
const comesTo = (viewer: Viewer | undefined, byTeam: Part): Part => {
  const isOpenTo = sql<SqlBool>`repo.audience <= ${sql.lit(openAudience(viewer))}`
  return viewer === undefined || viewer.isAdmin
    ? isOpenTo
    : any(isOpenTo, sql<SqlBool>`repo.id in ${nearRepos(viewer, byTeam)}`)
}

/** Which audiences a list is limited to, both inclusive. */
export interface Audiences {
  readonly least: number
  readonly most: number
}

/** Every audience of which anybody sees repositories. */
export const allAudiences: Audiences = { least: 0, most: 3 }

/** The right side of `in` for what is near to a viewer, or that nothing is. */
export type NearRepos = RawBuilder<number> | 'none'

/** How the parts of a list are written. */
export interface PartsOptions {
  readonly audiences?: Audiences
  /** Each audience is a part of its own, which an index has in every order; else all that are open are one. */
  readonly isOrdered?: boolean
  /** What is near to the viewer, where that was asked for already. */
  readonly near?: NearRepos | undefined
  /** The database, where it is known. */
  readonly db?: Db
}

/** The largest of some audiences of which all is open to a viewer; -1: nothing is open as such. */
export const openTo = (viewer: Viewer | undefined, { most }: Audiences): number =>
  viewer?.limit.repo ? -1 : Math.min(openAudience(viewer), viewer?.limit.publicOnly ? 0 : 3, most)

/** The audiences beyond what is open to a viewer, as far as a list has them; undefined: it has none of these. */
function hiddenFrom(viewer: Viewer | undefined, { least, most }: Audiences): Audiences | undefined {
  const first = Math.max(least, openAudience(viewer) + 1)
  return viewer === undefined || viewer.isAdmin || viewer.limit.repo || first > most
    ? undefined
    : { least: first, most }
}

const isAmong = ({ least, most }: Audiences): Condition =>
  sql<SqlBool>`repo.audience between ${sql.lit(least)} and ${sql.lit(most)}`

/**
 * The same, where it leads to no rows: most have their audience in common. A sum keeps SQLite from the index, and would keep
 * PostgreSQL from guessing that it leaves nearly all.
 */
const anyAudience = (audiences: Audiences, db: Db | undefined): Condition =>
  db && databaseKind(db) === 'postgres'
    ? isAmong(audiences)
    : sql<SqlBool>`repo.audience + 0 between ${sql.lit(audiences.least)} and ${sql.lit(audiences.most)}`

/**
 * The same in parts, which do not overlap: audiences that are open, and what is near to the viewer beside them.
 */
export function entranceParts(
  viewer: Viewer | undefined,
  { audiences = allAudiences, isOrdered = true, near, db }: PartsOptions = {},
): Condition[] {
  const wanted = { mode: 1 } as const
  if (viewer?.limit.repo) return [sql<SqlBool>`(${mayEnter(viewer, 'repo')} and ${isAmong(audiences)})`]
  const pair = pairOf(viewer, 'repo')
  const { least } = audiences
  const most = openTo(viewer, audiences)
  const open = isOrdered
    ? Array.from(
        { length: Math.max(0, most - least + 1) },
        (_, index) => sql<SqlBool>`repo.audience = ${sql.lit(least + index)}`,
      )
    : most < least
      ? []
      : [anyAudience({ least, most }, db)]
  const hidden = hiddenFrom(viewer, audiences)
  const asked = near ?? (viewer ? nearRepos(viewer, any(isAdminTeam, teamUnitGives(pair, wanted)), db) : 'none')
  const given =
    hidden === undefined || asked === 'none' ? [] : [sql<SqlBool>`${isAmong(hidden)} and repo.id in ${asked}`]
  return [...open, ...given].map((part) => asCondition(limited(pair, wanted, part)))
}

/** More repositories than these are not listed beside a list, but asked for in it. */
const mostNear = 2000

/** The ids of a part of what is near to a viewer; undefined when they are too many to be handed on. */
async function listNear(db: Db, part: Condition): Promise<RepoId[] | undefined> {
  const rows = await askAgain(
    db,
    db
      .selectFrom('repo')
      .select('id')
      .where(part)
      .limit(mostNear + 1),
  )
  return rows.length > mostNear ? undefined : rows.map((row) => row.id)
}

/**
 * What is near to a viewer, asked for once for all statements of a list.
 * @returns undefined when it is too much to be handed on
 */
export async function findNear(
  db: Db,
  viewer: Viewer | undefined,
  audiences: Audiences,
): Promise<NearRepos | undefined> {
  const part = hiddenFrom(viewer, audiences) && entranceParts(viewer, { audiences, db }).at(-1)
  if (!part) return 'none'
  const ids = await listNear(db, part)
  return ids && (ids.length === 0 ? 'none' : idList(db, idListText(ids)))
}

/** That the viewer may see a repository at all (`Rights.any`): its owner and administrators also when it has no units. */
export function mayEnter(who: Who, where: Where): Condition {
  const pair = pairOf(who, where)
  const wanted = { mode: 1 } as const
  if (where === 'repo' && who !== 'user') {
    return asCondition(limited(pair, wanted, comesTo(who, any(isAdminTeam, teamUnitGives(pair, wanted)))))
  }
  const owns = any(pair.isAdmin, isOwner(pair))
  const byTeam = isOnTeam(pair, any(isAdminTeam, teamUnitGives(pair, wanted)))
  return asCondition(limited(pair, wanted, any(owns, isOpen(pair), collaborates(pair, 1), byTeam)))
}

type WithOwner = Schema & { owner: UserTable }

/** Limits a query of `repo`, joined with its `owner`, to what the viewer may see. */
export const visibleTo = <Selected>(
  query: SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected>,
  viewer: Viewer | undefined,
): SelectQueryBuilder<WithOwner, 'repo' | 'owner', Selected> => query.where(mayEnter(viewer, 'repo'))

/** Repositories of which a viewer may read something. */
export interface ReadableRepos {
  /** The largest audience of which all are readable; -1: none is as such. */
  readonly open: number
  /** That a row of the query's `repo` is one of them, by its audience or by what was given. */
  readonly isReadable: Condition
  /** That it is one of those that were given alone; undefined: nothing was. */
  readonly isGiven: Condition | undefined
  /** So many were given, or more when it is `mostNear`. */
  readonly numGiven: number
}

/**
 * Repositories of which a viewer may read a unit, whether it is on or off, for each of some units; what is the same for
 * several is one object. What was given to the viewer is asked for once and handed on as a set.
 */
export async function findReadable<Unit extends RepoUnit>(
  db: Db,
  viewer: Viewer | undefined,
  units: readonly Unit[],
): Promise<ReadonlyMap<Unit, ReadableRepos>> {
  const pair = pairOf(viewer, 'repo')
  const open = openTo(viewer, allAudiences)
  const hidden = hiddenFrom(viewer, allAudiences)
  const same = (readable: ReadableRepos) => new Map(units.map((unit) => [unit, readable]))
  if (viewer?.limit.repo) {
    const isIt = asCondition(limited(pair, { mode: 1, evenIfOff: true }, true))
    return same({ open, isReadable: isIt, isGiven: isIt, numGiven: 1 })
  }
  const isOpenTo = sql<SqlBool>`repo.audience <= ${sql.lit(open)}`
  const nothing = same({ open, isReadable: isOpenTo, isGiven: undefined, numGiven: 0 })
  if (viewer === undefined || hidden === undefined) return nothing
  const partOf = (asked: readonly Unit[]): Condition => {
    const wanted = { units: asked, mode: 1, evenIfOff: true } as const
    const near = nearRepos(viewer, any(isAdminTeam, teamUnitGives(pair, wanted)), db)
    return asCondition(limited(pair, wanted, sql<SqlBool>`${isAmong(hidden)} and repo.id in ${near}`))
  }
  const readable = (isGiven: Condition, numGiven: number): ReadableRepos => ({
    open,
    isReadable: asCondition(any(isOpenTo, isGiven)),
    isGiven,
    numGiven,
  })
  const ofList = (ids: readonly RepoId[]) =>
    readable(sql<SqlBool>`repo.id in ${idList(db, idListText(ids))}`, ids.length)
  const ofAny = await listNear(db, partOf(units))
  if (ofAny?.length === 0) return nothing
  if (ofAny && units.length === 1) return same(ofList(ofAny))
  const lists = await Promise.all(
    units.map((unit) => (ofAny ? listNear(db, partOf([unit])) : Promise.resolve(undefined))),
  )
  // Those of one unit are among those of any: as many are the same.
  if (ofAny && lists.every((ids) => ids?.length === ofAny.length)) return same(ofList(ofAny))
  return new Map(
    units.map((unit, index) => {
      const ids = lists[index]
      return [unit, ids ? ofList(ids) : readable(partOf([unit]), mostNear)]
    }),
  )
}

/**
 * Which of some people may do something in units of a repository. People who cannot sign in are left out.
 */
export async function listUsersWhoMay(
  db: Db,
  place: Exclude<Where, 'repo'>,
  userIds: readonly UserId[],
  wanted: Wanted,
): Promise<UserRow[]> {
  if (userIds.length === 0) return []
  return db
    .selectFrom('user')
    .selectAll()
    .where('id', 'in', userIds)
    .where('kind', '=', 'individual')
    .where('is_active', '=', true)
    .where('prohibit_login', '=', false)
    .where(mayAccess('user', place, wanted))
    .execute()
}

/** Whether every account is shown to the viewer, so that none needs to be asked. */
export const seesAllAccounts = (viewer: Viewer): boolean => viewer.isAdmin && !viewer.limit.publicOnly

/**
 * That an account, a row of the query's table `user`, is shown to the viewer: `maySeeAccount` for queries.
 */
export const accountsShownTo = (viewer: Viewer | undefined): Condition =>
  shownTo(
    viewer,
    viewer !== undefined &&
      sql<SqlBool>`exists (select 1 from org_user where org_user.org_id = "user".id
        and org_user.user_id = ${viewer.id})`,
  )

/** Who looks at a list of accounts: a viewer (undefined: a guest), or somebody who sees every account of the list. */
export type Onlooker = Viewer | undefined | 'seesAll'

export const isEveryoneShown = (onlooker: Onlooker): boolean =>
  onlooker === 'seesAll' || (onlooker !== undefined && seesAllAccounts(onlooker))

/** That accounts of the query's table `user` are shown. */
export const accountsShownIn = (onlooker: Onlooker): Condition =>
  onlooker === 'seesAll' ? asCondition(true) : accountsShownTo(onlooker)

/** That the account of a column, of a query without the table `user`, is shown: one look into its index for each row. */
export const isAccountShownIn = (onlooker: Onlooker, column: string): Condition =>
  isEveryoneShown(onlooker)
    ? asCondition(true)
    : sql<SqlBool>`(select 1 from "user" where "user".id = ${sql.ref(column)} and ${accountsShownIn(onlooker)} limit 1)
        is not null`

/** The same for accounts of people, who have no members. */
export const peopleShownTo = (viewer: Viewer | undefined): Condition => shownTo(viewer, false)

function shownTo(viewer: Viewer | undefined, isMemberOf: Part): Condition {
  const isPublic = sql<SqlBool>`"user".visibility = 'public'`
  if (!viewer) return isPublic
  const isSelf = sql<SqlBool>`"user".id = ${viewer.id}`
  // What most are shown by is asked first.
  const shown = any(
    viewer.isAdmin,
    !viewer.isRestricted && sql<SqlBool>`"user".visibility <> 'private'`,
    isSelf,
    isMemberOf,
  )
  return asCondition(all(shown, !viewer.limit.publicOnly || any(isPublic, isSelf)))
}
