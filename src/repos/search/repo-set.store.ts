import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { allAudiences } from '../../access/conditions/access-rule.store.ts'
import { teamHoldsAll, teamHoldsRepo, teamsOfMembers } from '../../access/conditions/team-holds.store.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { databaseKind } from '../../db/open.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { Schema } from '../../db/schema.ts'
import { stepByStep } from '../../db/steps.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, TeamId, UserId } from '../../lib/ids.ts'

/*
 * Repositories by what they belong to: an owner, a team, somebody's stars. Lists of them are put together in
 * `repo-search.store.ts`.
 */

export type Selected = SelectQueryBuilder<Schema, 'repo', { repo_id: RepoId }>
export type Condition = RawBuilder<SqlBool>

/** What repositories are asked to belong to; what is left out does not limit them. */
export interface SetFilter {
  readonly ownerId?: UserId | undefined
  /** Owned by this account, or it contributes to them: as a collaborator, by a team, in its organizations. */
  readonly contributorId?: UserId | undefined
  /**
   * Who may learn what `contributorId` contributes to: another account, or a guest. Then hidden memberships do not count, and
   * for a guest collaborations do not either. Unless set, everything counts.
   */
  readonly contributionsKnownTo?: UserId | 'guest' | undefined
  readonly teamId?: TeamId | undefined
  readonly starredBy?: UserId | undefined
  readonly watchedBy?: UserId | undefined
  readonly forkId?: RepoId | undefined
}

/** Ids with commas between them, as a query puts them together: a thousand are handed on as they came. */
type IdText = string

/** Repositories of owners, which are counted by these and their audience. */
export interface Owned {
  readonly ownerIds: IdText
  /** The largest audience of which they are meant. */
  readonly most: number
  /** That a repository, a row of the query's `repo`, is one of them. */
  readonly holds: Condition
}

/** A way to come to repositories. */
export interface Way {
  readonly rows: () => Selected
  /** Where it comes to all that some owners have. */
  readonly owned?: Owned
  /** Where it comes to all whose ids are in another table. */
  readonly listed?: Listed
}

/** Repositories whose ids another table has. */
export interface Listed {
  /** `repo_id` of each. */
  readonly ids: RawBuilder<unknown>
  /** That a repository, a row of the query's `repo`, is not beyond all of them. */
  readonly isNearby?: Condition | undefined
  /** How many they are, where that is known. */
  readonly total?: number | undefined
}

/** Some repositories that are asked for by what they belong to. */
export interface RepoSet {
  /** The same as ways to come to them, none of which comes to one that another one comes to. */
  readonly ways: readonly Way[]
  /** That a repository, a row of the query's `repo`, is one of them; of which audience it is, may be known. */
  readonly holds: (audience?: number) => Condition
  /** Whether PostgreSQL tells of a row of an order, with nothing looked up elsewhere, that it is one of them. */
  readonly isKnown?: boolean
  /** Whether they are come to in the order of their ids: all together, or those of each audience. */
  readonly isById?: 'together' | 'by audience'
  /** That the owner's name lies between the first and the last of all their owners, where these are known. */
  readonly isAmongOwners?: () => Promise<Condition>
}

const oneWay = (holds: Condition, rows: Selected): RepoSet => ({ ways: [{ rows: () => rows }], holds: () => holds })

/**
 * That an account has a row about the repository in a table: one look into its index. A value and no `exists`, for
 * which PostgreSQL might read the whole table.
 */
const hasRow = (table: 'star' | 'watch', userId: UserId, beside?: Condition): Condition =>
  sql<SqlBool>`(select 1 from ${sql.table(table)} where user_id = ${userId} and repo_id = repo.id
    ${beside ? sql`and ${beside}` : sql``} limit 1) is not null`

export const rowsOfRepo = (db: Db): Selected => db.selectFrom('repo').select('repo.id as repo_id')

/** Rows of `repo` that another table leads to: each row of that one is come to first. */
export function ledTo(db: Db, from: RawBuilder<unknown>, where: Condition): Selected {
  const origin = db.selectFrom(sql`${from}`.as('origin'))
  const joined =
    databaseKind(db) === 'sqlite'
      ? origin.crossJoin('repo').where(where)
      : // As in `stepByStep`.
        origin.crossJoin(sql<RepoRow>`lateral (select * from repo where ${where} offset 0)`.as('repo'))
  return joined.select('repo.id as repo_id')
}

/** That something is among the ids of a query, which PostgreSQL looks for one by one in an index, whatever it guesses of them. */
const isAmong = (db: Db, value: RawBuilder<unknown>, ids: RawBuilder<unknown>): Condition =>
  databaseKind(db) === 'sqlite' ? sql<SqlBool>`${value} in ${ids}` : sql<SqlBool>`${value} = any(array${ids})`

/** Rows of `repo` in which a column is among the ids in a column of a query. */
function ofEach(
  db: Db,
  column: 'id' | 'owner_id',
  { ids, name }: { readonly ids: RawBuilder<unknown>; readonly name: string },
  where: Condition,
): Selected {
  const value = sql.ref(`repo.${column}`)
  return databaseKind(db) === 'sqlite'
    ? ledTo(db, ids, sql<SqlBool>`${value} = ${sql.ref(`origin.${name}`)} and ${where}`)
    : rowsOfRepo(db)
        .where(isAmong(db, value, ids))
        .where(where)
}

/** Rows of `repo` of which another table has the ids, which are many or few. */
const ofIds = (db: Db, { ids, isNearby }: Listed): Selected => {
  const rows = db
    .selectFrom(sql<{ repo_id: RepoId }>`${ids}`.as('origin'))
    .crossJoin('repo')
    .where(sql<SqlBool>`repo.id = origin.repo_id`)
    .select('origin.repo_id')
  return isNearby ? rows.where(isNearby) : rows
}

const reachIn = (table: 'star' | 'watch') =>
  preparedQuery((db: Db, userId: UserId) => {
    const end = (least: 'min' | 'max') =>
      sql<RepoId | null>`(select ${sql.raw(least)}(repo_id) from ${sql.table(table)} where user_id = ${userId})`
    const total =
      table === 'star' ? sql`(select num_stars from "user" where id = ${userId})` : sql`cast(null as integer)`
    return db.selectNoFrom([end('min').as('first'), end('max').as('last'), sql<number | null>`${total}`.as('total')])
  })
const reachOf = { star: reachIn('star'), watch: reachIn('watch') }

/**
 * How many repositories somebody has rows about, where that is kept, and that one lies between the first and the last of them.
 * PostgreSQL guesses that many are to be gone through in any case, and goes through all there are by whatever index it likes,
 * unless it is told.
 */
async function findReach(db: Db, table: 'star' | 'watch', userId: UserId): Promise<Pick<Listed, 'isNearby' | 'total'>> {
  if (databaseKind(db) === 'sqlite') return {}
  const [reach] = await reachOf[table](db, userId)
  return {
    isNearby: sql<SqlBool>`repo.id between ${reach?.first ?? 0} and ${reach?.last ?? 0}`,
    total: reach?.total ?? undefined,
  }
}

export const textOfIds = (ids: readonly number[]): IdText => ids.join(',')

/** Returns the organizations in which an account is on a team, and whether one of these teams holds all repositories. */
const teamOrgsOf = preparedQuery((db: Db, userId: UserId) => {
  const teams = stepByStep(db, teamsOfMembers(sql<SqlBool>`team.user_id = ${userId}`))
  return db
    .selectFrom(
      sql<{ id: UserId; holds_all: number }>`(
        select team.org_id as id, max(case when ${teamHoldsAll} then 1 else 0 end) as holds_all ${teams} group by team.org_id)`.as(
        'org',
      ),
    )
    .selectAll()
})

const oneCollaboration = preparedQuery((db: Db, userId: UserId) =>
  db.selectFrom('collaboration').select('repo_id').where('user_id', '=', userId).limit(1),
)

/** That something is one of many ids. */
export const isOneOf = (db: Db, value: RawBuilder<unknown>, ids: IdText): Condition =>
  databaseKind(db) === 'sqlite'
    ? sql<SqlBool>`${value} in ${idList(db, `[${ids}]`)}`
    : // An array that the planner knows is made a table to look in, as no other list is.
      sql<SqlBool>`${value} = any(${`{${ids}}`}::bigint[])`

/**
 * That a repository belongs to one of many accounts; it is asked of each that is passed over, and of no index. PostgreSQL
 * does not guess either how many have each of the accounts, which takes as long as asking thousands.
 */
const isOfOneOf = (db: Db, ownerIds: IdText): Condition => {
  const isOne = isOneOf(db, sql.ref('repo.owner_id'), ownerIds)
  return databaseKind(db) === 'sqlite' ? isOne : sql<SqlBool>`coalesce(${isOne}, false)`
}

/** That the name of a repository's owner lies between the first and the last of some accounts. */
async function isAmongNames(db: Db, ownerIds: IdText): Promise<Condition> {
  // Of something computed, or PostgreSQL would go through all names in their order until one is of these.
  const name = sql`lower_name || ''`
  const { first, last } = await db
    .selectFrom('user')
    .where(isOneOf(db, sql.ref('user.id'), ownerIds))
    .select([sql<string>`min(${name})`.as('first'), sql<string>`max(${name})`.as('last')])
    .executeTakeFirstOrThrow()
  return sql<SqlBool>`repo.owner_lower_name between ${first} and ${last}`
}

/** Returns the organizations in which another account, or a guest, may know somebody as a member. */
async function listKnownOrgs(db: Db, userId: UserId, knownTo: UserId | 'guest'): Promise<ReadonlySet<UserId>> {
  const rows = await db
    .selectFrom('org_user')
    .select('org_id')
    .where('user_id', '=', userId)
    .where((where) =>
      where.or([
        where('is_public', '=', true),
        ...(knownTo === 'guest'
          ? []
          : [
              where(
                'org_id',
                'in',
                where.selectFrom('org_user as own').select('own.org_id').where('own.user_id', '=', knownTo),
              ),
            ]),
      ]),
    )
    .execute()
  return new Set(rows.map((row) => row.org_id))
}

/** Repositories of an account, those it collaborates on, and those of organizations that its teams show it. */
async function contributedTo(db: Db, userId: UserId, knownTo: UserId | 'guest' | undefined): Promise<RepoSet> {
  const [teamOrgs, knownOrgs, collaborations] = await Promise.all([
    teamOrgsOf(db, userId),
    knownTo === undefined ? undefined : listKnownOrgs(db, userId, knownTo),
    knownTo === 'guest' ? [] : oneCollaboration(db, userId),
  ])
  const orgs = teamOrgs.filter(({ id }) => knownOrgs === undefined || knownOrgs.has(id))
  const orgsThat = (holdsAll: boolean) => orgs.filter((org) => (org.holds_all === 1) === holdsAll).map(({ id }) => id)
  const ofAll = textOfIds([userId, ...orgsThat(true)])
  const ofSome = textOfIds(orgsThat(false))
  const isOfHiding = isOneOf(db, sql.ref('team_user.org_id'), ofSome)
  const given = sql`(select distinct team_repo.repo_id ${stepByStep(
    db,
    { table: 'team_user', where: sql<SqlBool>`team_user.user_id = ${userId} and ${isOfHiding}` },
    { table: 'team_repo', where: sql<SqlBool>`team_repo.team_id = team_user.team_id` },
  )})`
  const collaborated = sql`(select repo_id from collaboration where user_id = ${userId})`
  const isOfSome = isOfOneOf(db, ofSome)
  /** Of one audience much of the rule is known. */
  const isOfOwners = (audience?: number): Condition => {
    if (ofSome === '') return isOfOneOf(db, ofAll)
    if (audience !== undefined && audience < 3) return isOfOneOf(db, `${ofAll},${ofSome}`)
    const isGiven = sql<SqlBool>`repo.id in ${given}`
    const isShown = audience === undefined ? sql`(repo.audience < 3 or ${isGiven})` : isGiven
    return sql<SqlBool>`(${isOfOneOf(db, ofAll)} or (${isOfSome} and ${isShown}))`
  }
  const ownedBy = (ownerIds: IdText, most: number): Way => {
    const isShown = sql<SqlBool>`repo.audience <= ${sql.lit(most)}`
    const ids = () => idList(db, idListText(ownerIds.split(',').map(Number)))
    return {
      rows: () => ofEach(db, 'owner_id', { ids: ids(), name: 'value' }, isShown),
      owned: {
        ownerIds,
        most,
        holds: sql<SqlBool>`(${isOfOneOf(db, ownerIds)} and ${isShown})`,
      },
    }
  }
  const ways = [ownedBy(ofAll, allAudiences.most)]
  if (ofSome !== '') {
    // Repositories that a team was given matter where their organization hides them from other members.
    const isGiven = sql<SqlBool>`repo.audience = 3 and ${isOneOf(db, sql.ref('repo.owner_id'), ofSome)}`
    ways.push(ownedBy(ofSome, 2), { rows: () => ofEach(db, 'id', { ids: given, name: 'repo_id' }, isGiven) })
  }
  const isKnown = databaseKind(db) === 'postgres'
  if (collaborations.length === 0) {
    const isAmongOwners = () => isAmongNames(db, ofSome === '' ? ofAll : `${ofAll},${ofSome}`)
    return { ways, holds: isOfOwners, isKnown, isAmongOwners }
  }
  const isBeside = sql<SqlBool>`not ${isOfOwners()}`
  ways.push({ rows: () => ofEach(db, 'id', { ids: collaborated, name: 'repo_id' }, isBeside) })
  const holds = (audience?: number) => sql<SqlBool>`(${isOfOwners(audience)} or repo.id in ${collaborated})`
  return { ways, holds, isKnown }
}

/** What a filter asks for by what repositories belong to. */
export async function setsOf(db: Db, filter: SetFilter): Promise<RepoSet[]> {
  const { ownerId, forkId, contributorId, contributionsKnownTo, teamId, starredBy, watchedBy } = filter
  const sets: RepoSet[] = []
  if (ownerId !== undefined) {
    const holds = sql<SqlBool>`repo.owner_id = ${ownerId}`
    const owned = { ownerIds: textOfIds([ownerId]), most: allAudiences.most, holds }
    const rows = () => rowsOfRepo(db).where('repo.owner_id', '=', ownerId)
    sets.push({ ways: [{ rows, owned }], holds: () => holds })
  }
  if (forkId !== undefined) {
    const isFork = sql<SqlBool>`repo.fork_id = ${forkId}`
    sets.push({ ...oneWay(isFork, rowsOfRepo(db).where('repo.fork_id', '=', forkId)), isById: 'by audience' })
  }
  if (teamId !== undefined) {
    const isHeld = (id: Expression<unknown>) =>
      sql<SqlBool>`exists (select 1 from team where team.id = ${id} and team.org_id = repo.owner_id
        and ${teamHoldsRepo('repo.id')})`
    const team = sql`(select id, org_id from team where id = ${teamId})`
    sets.push(
      oneWay(
        isHeld(sql`${teamId}`),
        ledTo(db, team, sql<SqlBool>`repo.owner_id = origin.org_id and ${isHeld(sql.ref('origin.id'))}`),
      ),
    )
  }
  const byId = async (table: 'star' | 'watch', userId: UserId, isWanted?: Condition): Promise<RepoSet> => {
    const ids = sql`(select repo_id from ${sql.table(table)} where user_id = ${userId}
      ${isWanted ? sql`and ${isWanted}` : sql``})`
    const listed: Listed = { ids, ...(await findReach(db, table, userId)) }
    const { isNearby } = listed
    // Nothing is looked up of what is beyond all of them. As conditions of their own, PostgreSQL might begin with one of them.
    const ifNearby = (holds: Condition) =>
      isNearby ? sql<SqlBool>`case when ${isNearby} then ${holds} else false end` : holds
    const holds = ifNearby(hasRow(table, userId, isWanted))
    return {
      ways: [{ rows: () => ofIds(db, listed), listed }],
      holds: () => holds,
      isById: 'together',
    }
  }
  if (starredBy !== undefined) sets.push(await byId('star', starredBy))
  if (watchedBy !== undefined) sets.push(await byId('watch', watchedBy, sql<SqlBool>`mode <> 'dont'`))
  if (contributorId !== undefined) sets.push(await contributedTo(db, contributorId, contributionsKnownTo))
  return sets
}
