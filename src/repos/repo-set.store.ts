import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { allAudiences } from '../access/access-rule.store.ts'
import { teamHoldsAll, teamHoldsRepo, teamsOfMembers } from '../access/team-holds.store.ts'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQueries, preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import { stepByStep } from '../db/steps.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId, TeamId, UserId } from '../lib/ids.ts'

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
  readonly teamId?: TeamId | undefined
  readonly starredBy?: UserId | undefined
  readonly watchedBy?: UserId | undefined
  readonly forkId?: RepoId | undefined
}

/** Ids with commas between them, as a query puts them together: a thousand are handed on as they came. */
type IdText = string

/** How many repositories of an audience some owners have, and which of them have any. */
interface OwnedOfAudience {
  readonly total: number
  readonly ownerIds: IdText
}

/** Repositories of owners, which are counted by these and their audience. */
export interface Owned {
  readonly ownerIds: IdText
  /** The same by audience, where that is known. */
  readonly byAudience?: ReadonlyMap<number, OwnedOfAudience>
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
  /** The same, where thousands are asked: they are looked up in a set of all of them. */
  readonly holdsOfMany?: Condition | undefined
  /** Whether PostgreSQL tells of a row of an order, with nothing looked up elsewhere, that it is one of them. */
  readonly isKnown?: boolean
  /** Whether they are come to in the order of their ids: all together, or those of each audience. */
  readonly isById?: 'together' | 'by audience'
  /** No more than so many, where that is known and counting them takes as long as finding them. */
  readonly atMost?: number
  /** About how many of them have an audience, where that is known; 0: none has. */
  readonly sizeOf?: (audience: number) => number
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

/** The ids in a column, put together by the query. */
const idsAsText = (db: Db, column: string): RawBuilder<IdText> =>
  databaseKind(db) === 'sqlite'
    ? sql<IdText>`group_concat(${sql.ref(column)})`
    : sql<IdText>`string_agg(${sql.ref(column)}::text, ',')`

export const textOfIds = (ids: readonly number[]): IdText => ids.join(',')

/** So many repositories are found, counted and sorted by one statement, rather than counted before. */
export const sortedAtOnce = 5000

/**
 * Somebody and the organizations in which they are on a team, by whether one of these holds all that there is, and by the
 * audiences of which they have repositories; and how much of each audience they collaborate on, where that is not very much.
 */
const contributorOf = preparedQueries((db: Db, userId: UserId) => {
  const teams = stepByStep(db, teamsOfMembers(sql<SqlBool>`team.user_id = ${userId}`))
  const tallies = (holdsAll: 0 | 1, owners: RawBuilder<unknown>) =>
    sql`select ${sql.lit(holdsAll)} as holds_all, audience, sum(total) as total, ${idsAsText(db, 'owner_id')} as owner_ids
      from repo_owner_tally where ${isAmong(db, sql.ref('owner_id'), owners)} and total > 0 group by audience`
  return {
    owners: db
      .selectFrom(
        sql<{ holds_all: number; audience: number; total: number | string; owner_ids: IdText }>`(
          with org as materialized (
            select team.org_id as id, max(case when ${teamHoldsAll} then 1 else 0 end) as holds_all ${teams} group by team.org_id)
          ${tallies(1, sql`(select id from org where holds_all = 1 union all select id from "user" where id = ${userId})`)}
          union all ${tallies(0, sql`(select id from org where holds_all = 0)`)})`.as('owned'),
      )
      .selectAll(),
    collaborations: db
      .selectFrom(
        db
          .selectFrom('collaboration')
          .select('audience')
          .where('user_id', '=', userId)
          .limit(sql.lit(sortedAtOnce))
          .as('some'),
      )
      .select((select) => ['some.audience', select.fn.countAll<number>().as('count')])
      .groupBy('some.audience'),
  }
})

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

/** Repositories of an account, those it collaborates on, and those of organizations that its teams show it. */
async function contributedTo(db: Db, userId: UserId): Promise<RepoSet> {
  const { owners, collaborations } = await contributorOf(db, userId)
  const collaborationCount = collaborations.reduce((sum, { count }) => sum + count, 0)
  const collaboratesOn = (audience: number): number =>
    collaborations.find((row) => row.audience === audience)?.count ?? (collaborationCount < sortedAtOnce ? 0 : 1)
  const ownersThat = (holdsAll: boolean) => {
    const rows = owners.filter((row) => (row.holds_all === 1) === holdsAll)
    const byAudience = new Map<number, OwnedOfAudience>()
    for (const { audience, total, owner_ids } of rows) {
      byAudience.set(audience, { total: Number(total), ownerIds: owner_ids })
    }
    // Who has some of several audiences is among them several times.
    return { ids: rows.map((row) => row.owner_ids).join(','), byAudience }
  }
  const [{ ids: ofAll, byAudience: allOwned }, { ids: ofSome, byAudience: someOwned }] = [
    ownersThat(true),
    ownersThat(false),
  ]
  // What teams were given matters where their organization hides it from other members.
  const hiding = someOwned.get(allAudiences.most)?.ownerIds ?? ''
  const isOfHiding = isOneOf(db, sql.ref('team_user.org_id'), hiding)
  const given = sql`(select distinct team_repo.repo_id ${stepByStep(
    db,
    { table: 'team_user', where: sql<SqlBool>`team_user.user_id = ${userId} and ${isOfHiding}` },
    { table: 'team_repo', where: sql<SqlBool>`team_repo.team_id = team_user.team_id` },
  )})`
  const collaborated = sql`(select repo_id from collaboration where user_id = ${userId})`
  const isOfSome = isOfOneOf(db, ofSome)
  /** Of one audience much of the rule is known, and who has any of it. */
  const isOfOwners = (audience?: number): Condition => {
    const having = (ownerIds: IdText, owned: typeof allOwned): IdText =>
      audience === undefined ? ownerIds : (owned.get(audience)?.ownerIds ?? '')
    const ofAllHere = having(ofAll, allOwned)
    if (ofSome === '') return isOfOneOf(db, ofAllHere)
    if (audience !== undefined && audience < 3) {
      return isOfOneOf(db, [ofAllHere, having(ofSome, someOwned)].filter((ids) => ids !== '').join(','))
    }
    const isGiven = hiding === '' ? sql<SqlBool>`${sql.lit(false)}` : sql<SqlBool>`repo.id in ${given}`
    const isShown = audience === undefined ? sql`(repo.audience < 3 or ${isGiven})` : isGiven
    return sql<SqlBool>`(${isOfOneOf(db, ofAllHere)} or (${isOfSome} and ${isShown}))`
  }
  const ownedBy = (ownerIds: IdText, most: number, byAudience: typeof allOwned): Way => {
    const isShown = sql<SqlBool>`repo.audience <= ${sql.lit(most)}`
    const ids = () => idList(db, idListText(ownerIds.split(',').map(Number)))
    return {
      rows: () => ofEach(db, 'owner_id', { ids: ids(), name: 'value' }, isShown),
      owned: {
        ownerIds,
        most,
        holds: sql<SqlBool>`(${isOfOneOf(db, ownerIds)} and ${isShown})`,
        byAudience,
      },
    }
  }
  const ways = [ownedBy(ofAll, allAudiences.most, allOwned)]
  if (ofSome !== '') ways.push(ownedBy(ofSome, 2, someOwned))
  if (hiding !== '') {
    const isGiven = sql<SqlBool>`repo.audience = 3 and ${isOfOneOf(db, hiding)}`
    ways.push({ rows: () => ofEach(db, 'id', { ids: given, name: 'repo_id' }, isGiven) })
  }
  // What teams were given is not counted.
  const sizeOf = (audience: number): number =>
    (allOwned.get(audience)?.total ?? 0) +
    (audience < 3 ? (someOwned.get(audience)?.total ?? 0) : hiding !== '' ? 1 : 0) +
    collaboratesOn(audience)
  const isKnown = databaseKind(db) === 'postgres'
  if (collaborationCount === 0) {
    const havingAny = [...allOwned.values(), ...someOwned.values()].map(({ ownerIds }) => ownerIds)
    return { ways, holds: isOfOwners, isKnown, sizeOf, isAmongOwners: () => isAmongNames(db, havingAny.join(',')) }
  }
  const isBeside = sql<SqlBool>`not ${isOfOwners()}`
  ways.push({ rows: () => ofEach(db, 'id', { ids: collaborated, name: 'repo_id' }, isBeside) })
  const holds = (audience?: number) => sql<SqlBool>`(${isOfOwners(audience)} or repo.id in ${collaborated})`
  const ownedCount = [...allOwned.values(), ...someOwned.values()].reduce((sum, { total }) => sum + total, 0)
  return { ways, holds, isKnown, sizeOf, atMost: ownedCount + collaborationCount }
}

/** What a filter asks for by what repositories belong to. */
export async function setsOf(db: Db, filter: SetFilter): Promise<RepoSet[]> {
  const { ownerId, forkId, contributorId, teamId, starredBy, watchedBy } = filter
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
      holdsOfMany: databaseKind(db) === 'postgres' ? ifNearby(sql<SqlBool>`repo.id in ${ids}`) : undefined,
      isById: 'together',
    }
  }
  if (starredBy !== undefined) sets.push(await byId('star', starredBy))
  if (watchedBy !== undefined) sets.push(await byId('watch', watchedBy, sql<SqlBool>`mode <> 'dont'`))
  if (contributorId !== undefined) sets.push(await contributedTo(db, contributorId))
  return sets
}
