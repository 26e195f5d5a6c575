import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { allAudiences, entranceParts, findNear, openTo, type Audiences } from '../access/access-rule.store.ts'
import { teamHoldsAll, teamHoldsRepo, teamsOfMembers } from '../access/team-holds.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { isDeep, readMerged, turnedOrder, type OrderKey, type Piece } from '../db/deep-page.ts'
import { idList, idListText } from '../db/id-list.ts'
import { stepByStep } from '../db/steps.ts'
import { databaseKind } from '../db/open.ts'
import { contains, isLike, lowerContains, patternOf } from '../db/like.ts'
import { preparedQueries, preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId, TeamId, UserId } from '../lib/ids.ts'
import { nearerEnd, type Page } from '../lib/paging.ts'
import { countedAtMost, findByName, findInNames } from './name-search.store.ts'
import { loadRepos } from './repo.store.ts'

/** Which repositories a list has; what is left out does not limit it. */
export interface RepoFilter {
  /** One of these texts is part of the name (or what is asked for beside it). */
  readonly words?: readonly string[] | undefined
  /** The words are whole names of topics and nothing else. */
  readonly topicsOnly?: boolean | undefined
  readonly alsoDescription?: boolean | undefined
  readonly ownerId?: UserId | undefined
  /** Owned by this account, or it contributes to them: as a collaborator, by a team, in its organizations. */
  readonly contributorId?: UserId | undefined
  /** Not owned by this account. */
  readonly notOwnedBy?: UserId | undefined
  readonly teamId?: TeamId | undefined
  readonly starredBy?: UserId | undefined
  readonly watchedBy?: UserId | undefined
  readonly isPrivate?: boolean | undefined
  /** Only public repositories of public owners. */
  readonly publicOwnersOnly?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
  readonly isFork?: boolean | undefined
  readonly isMirror?: boolean | undefined
  readonly forkId?: RepoId | undefined
}

export type RepoOrder =
  | 'name'
  | 'alpha'
  | 'created'
  | 'updated'
  | 'size'
  | 'git_size'
  | 'lfs_size'
  | 'stars'
  | 'forks'
  | 'id'

export interface RepoSort {
  readonly by: RepoOrder
  readonly descending: boolean
  /** The repositories of this account come first, the others by owner. */
  readonly firstOwnerId?: UserId | undefined
}

type Selected = SelectQueryBuilder<Schema, 'repo', { repo_id: RepoId }>
type Condition = RawBuilder<SqlBool>

/** What an order compares; an index has it behind each audience. */
const orderColumns: Readonly<Record<RepoOrder, readonly string[]>> = {
  name: ['repo.lower_name'],
  alpha: ['repo.owner_lower_name', 'repo.lower_name'],
  created: ['repo.created_unix'],
  updated: ['repo.updated_unix'],
  size: [],
  git_size: ['repo.git_size_bytes'],
  lfs_size: ['repo.lfs_size_bytes'],
  stars: ['repo.num_stars'],
  forks: ['repo.num_forks'],
  id: [],
}
const wholeSize = sql<number>`(repo.git_size_bytes + repo.lfs_size_bytes)`

/** What an order compares, the first first. */
const orderOf = ({ by, descending }: RepoSort): OrderKey[] => {
  const direction = descending ? 'desc' : 'asc'
  const values = by === 'size' ? [wholeSize] : orderColumns[by].map((column) => sql.ref(column))
  return [
    ...values.map((value, index) => ({ name: `key_${index}`, value, direction }) as const),
    { name: 'repo_id', value: sql.ref('repo.id'), direction },
  ]
}

/** Ids with commas between them, as a query puts them together: a thousand are handed on as they came. */
type IdText = string

/** How many repositories of an audience some owners have, and which of them have any. */
interface OwnedOfAudience {
  readonly total: number
  readonly ownerIds: IdText
}

/** Repositories of owners, which are counted by these and their audience. */
interface Owned {
  readonly ownerIds: IdText
  /** The same by audience, where that is known. */
  readonly byAudience?: ReadonlyMap<number, OwnedOfAudience>
  /** The largest audience of which they are meant. */
  readonly most: number
  /** That a repository, a row of the query's `repo`, is one of them. */
  readonly holds: Condition
}

/** A way to come to repositories. */
interface Way {
  readonly rows: () => Selected
  /** Where it comes to all that some owners have. */
  readonly owned?: Owned
}

/** Some repositories that are asked for by what they belong to. */
interface RepoSet {
  /** The same as ways to come to them, none of which comes to one that another one comes to. */
  readonly ways: readonly Way[]
  /** That a repository, a row of the query's `repo`, is one of them; of which audience it is, may be known. */
  readonly holds: (audience?: number) => Condition
  /** Whether they are come to in the order of their ids: all together, or those of each audience. */
  readonly isById?: 'together' | 'by audience'
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

const rowsOfRepo = (db: Db): Selected => db.selectFrom('repo').select('repo.id as repo_id')

/** Rows of `repo` of which each is asked something before anything else, for which PostgreSQL unpacks no more of it. */
const rowsThat = (db: Db, condition: Condition): Selected =>
  databaseKind(db) === 'sqlite'
    ? rowsOfRepo(db).where(condition)
    : db
        .selectFrom(sql<RepoRow>`(select * from repo where ${condition} offset 0)`.as('repo'))
        .select('repo.id as repo_id')

const searched = (db: Db, { holds, ids }: Search): Selected =>
  ids ? ledTo(db, ids, sql<SqlBool>`repo.id = origin.repo_id`) : rowsThat(db, holds)

/** Rows of `repo` that another table leads to: each row of that one is come to first. */
function ledTo(db: Db, from: RawBuilder<unknown>, where: Condition): Selected {
  const origin = db.selectFrom(sql`${from}`.as('origin'))
  const joined =
    databaseKind(db) === 'sqlite'
      ? origin.crossJoin('repo').where(where)
      : // As in `stepByStep`.
        origin.crossJoin(sql<RepoRow>`lateral (select * from repo where ${where} offset 0)`.as('repo'))
  return joined.select('repo.id as repo_id')
}

/** Rows of `repo` of which another table has the ids, which are many or few. */
const ofIds = (db: Db, from: RawBuilder<unknown>, isNearby: Condition | undefined): Selected => {
  const rows = db
    .selectFrom(sql<{ repo_id: RepoId }>`${from}`.as('origin'))
    .crossJoin('repo')
    .where(sql<SqlBool>`repo.id = origin.repo_id`)
    .select('origin.repo_id')
  return isNearby ? rows.where(isNearby) : rows
}

const endsIn = (table: 'star' | 'watch') =>
  preparedQuery((db: Db, userId: UserId) => {
    const end = (least: 'min' | 'max') =>
      sql<RepoId | null>`(select ${sql.raw(least)}(repo_id) from ${sql.table(table)} where user_id = ${userId})`
    return db.selectNoFrom([end('min').as('first'), end('max').as('last')])
  })
const endsOf = { star: endsIn('star'), watch: endsIn('watch') }

/**
 * That a repository lies between the first and the last that somebody has rows about. PostgreSQL guesses that many are to be
 * gone through in any case, and goes through all there are by whatever index it likes, unless it is told.
 */
async function isBetweenEnds(db: Db, table: 'star' | 'watch', userId: UserId): Promise<Condition | undefined> {
  if (databaseKind(db) === 'sqlite') return undefined
  const [ends] = await endsOf[table](db, userId)
  return sql<SqlBool>`repo.id between ${ends?.first ?? 0} and ${ends?.last ?? 0}`
}

/** The ids in a column, put together by the query. */
const idsAsText = (db: Db, column: string): RawBuilder<IdText> =>
  databaseKind(db) === 'sqlite'
    ? sql<IdText>`group_concat(${sql.ref(column)})`
    : sql<IdText>`string_agg(${sql.ref(column)}::text, ',')`

const textOfIds = (ids: readonly number[]): IdText => ids.join(',')

/**
 * Somebody and the organizations in which they are on a team, by whether one of these holds all that there is, and by the
 * audiences of which they have repositories; and whether there is anything that somebody collaborates on.
 */
const contributorOf = preparedQueries((db: Db, userId: UserId) => ({
  owners: db
    .selectFrom(
      sql<{ owner_id: UserId; holds_all: number; audience: number | null; total: number | string | null }>`(
        select owner.owner_id, owner.holds_all, tally.audience, tally.total from (
          select team.org_id as owner_id, max(case when ${teamHoldsAll} then 1 else 0 end) as holds_all ${stepByStep(
            db,
            teamsOfMembers(sql<SqlBool>`team.user_id = ${userId}`),
          )} group by team.org_id
          union all select id, 1 from "user" where id = ${userId}) as owner
        left join repo_owner_tally as tally on tally.owner_id = owner.owner_id and tally.total > 0)`.as('owned'),
    )
    .select((select) => [
      'owned.holds_all',
      'owned.audience',
      select.fn.sum<number | string | null>('owned.total').as('total'),
      idsAsText(db, 'owned.owner_id').as('owner_ids'),
    ])
    .groupBy(['owned.holds_all', 'owned.audience']),
  collaborations: db.selectFrom('collaboration').select('repo_id').where('user_id', '=', userId).limit(1),
}))

/** That something is one of many ids. */
const isOneOf = (db: Db, value: RawBuilder<unknown>, ids: IdText): Condition =>
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
  const ownersThat = (holdsAll: boolean) => {
    const rows = owners.filter((row) => (row.holds_all === 1) === holdsAll)
    const byAudience = new Map<number, OwnedOfAudience>()
    for (const { audience, total, owner_ids } of rows) {
      if (audience !== null) byAudience.set(audience, { total: Number(total), ownerIds: owner_ids })
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
    return {
      rows: () =>
        ledTo(
          db,
          idList(db, idListText(ownerIds.split(',').map(Number))),
          sql<SqlBool>`repo.owner_id = origin.value${most < allAudiences.most ? sql` and ${isShown}` : sql``}`,
        ),
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
    const isGiven = sql<SqlBool>`repo.id = origin.repo_id and repo.audience = 3 and ${isOfOneOf(db, hiding)}`
    ways.push({ rows: () => ledTo(db, given, isGiven) })
  }
  // What was given beside what is owned is not counted by audience.
  const sizeOf = (audience: number): number =>
    (allOwned.get(audience)?.total ?? 0) +
    (audience < 3 ? (someOwned.get(audience)?.total ?? 0) : hiding !== '' ? 1 : 0) +
    (collaborations.length > 0 ? 1 : 0)
  if (collaborations.length === 0) {
    const havingAny = [...allOwned.values(), ...someOwned.values()].map(({ ownerIds }) => ownerIds)
    return { ways, holds: isOfOwners, sizeOf, isAmongOwners: () => isAmongNames(db, havingAny.join(',')) }
  }
  const isBeside = sql<SqlBool>`repo.id = origin.repo_id and not ${isOfOwners()}`
  ways.push({ rows: () => ledTo(db, collaborated, isBeside) })
  return { ways, holds: (audience) => sql<SqlBool>`(${isOfOwners(audience)} or repo.id in ${collaborated})`, sizeOf }
}

/** What a filter asks for by what repositories belong to. */
async function setsOf(db: Db, filter: RepoFilter): Promise<RepoSet[]> {
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
    const isNearby = await isBetweenEnds(db, table, userId)
    return {
      ways: [{ rows: () => ofIds(db, ids, isNearby) }],
      holds: () => hasRow(table, userId, isWanted),
      isById: 'together',
    }
  }
  if (starredBy !== undefined) sets.push(await byId('star', starredBy))
  if (watchedBy !== undefined) sets.push(await byId('watch', watchedBy, sql<SqlBool>`mode <> 'dont'`))
  if (contributorId !== undefined) sets.push(await contributedTo(db, contributorId))
  return sets
}

/** Which audiences a filter leaves. Private repositories are one of their own. */
const audiencesOf = ({ isPrivate, publicOwnersOnly }: RepoFilter): Audiences => ({
  least: isPrivate ? allAudiences.most : allAudiences.least,
  most: publicOwnersOnly ? 0 : isPrivate === false ? 2 : allAudiences.most,
})

/** What is asked of each repository beside what it belongs to and who sees it. */
function marksOf(filter: RepoFilter): Condition[] {
  const all: Condition[] = []
  const is = (column: string, value: boolean | undefined) => {
    if (value !== undefined) all.push(sql<SqlBool>`${sql.ref(column)} = ${sql.lit(value)}`)
  }
  is('repo.is_template', filter.isTemplate)
  is('repo.is_archived', filter.isArchived)
  is('repo.is_fork', filter.isFork)
  is('repo.is_mirror', filter.isMirror)
  if (filter.notOwnedBy !== undefined) all.push(sql<SqlBool>`repo.owner_id <> ${filter.notOwnedBy}`)
  return all
}

const either = (conditions: readonly Condition[]): Condition => sql<SqlBool>`(${sql.join(conditions, sql` or `)})`

/** That the name holds one of the words, or what is asked for beside it does. */
const isNamed = ({ words = [], alsoDescription }: RepoFilter): Condition =>
  either(
    words.flatMap((word) => {
      const [owner, name, ...rest] = word.split('/')
      return [
        lowerContains('repo.lower_name', word),
        ...(owner !== undefined && name !== undefined && rest.length === 0
          ? [
              sql<SqlBool>`(${lowerContains('repo.owner_lower_name', owner)} and ${lowerContains('repo.lower_name', name)})`,
            ]
          : []),
        ...(alsoDescription ? [contains('repo.description', word)] : []),
      ]
    }),
  )

/** How some words are looked for. */
interface Search {
  /** A condition on rows of `repo`. */
  readonly holds: Condition
  /** The `repo_id` of all of them, where these are found sooner than asked each. */
  readonly ids?: RawBuilder<unknown>
}

/** How words are looked for, by what they are found in. */
interface Words {
  /** That an index of names has all that the words are found in, beside the ids. */
  readonly isInNames: boolean
  /** undefined: words are names of topics alone. */
  readonly named: Search | undefined
  /** undefined: no topic has one of them. */
  readonly tagged: Search | undefined
}

/** Of more topics each repository is asked for its own. */
const fewTopics = 500

const topicIds = (db: Db) =>
  db
    .selectFrom('topic')
    .select('id')
    .limit(fewTopics + 1)

const topicsLike = preparedQuery((db: Db, pattern: string) => topicIds(db).where(isLike('name', pattern)))

/** What the words of a filter find; undefined: none are asked for. */
async function findWords(db: Db, filter: RepoFilter): Promise<Words | undefined> {
  const { words = [], topicsOnly } = filter
  if (words.length === 0) return undefined
  const isTopic = either(
    words.map((word) => (topicsOnly ? sql<SqlBool>`name = ${word.toLowerCase()}` : lowerContains('name', word))),
  )
  const [word = ''] = words
  const topics =
    words.length === 1 && !topicsOnly
      ? await topicsLike(db, patternOf(word))
      : await topicIds(db).where(isTopic).execute()
  const isOfTopics = isOneOf(db, sql.ref('topic_id'), textOfIds(topics.map(({ id }) => id)))
  return {
    // A word with a stroke may be the names of an owner and of a repository.
    isInNames: !filter.alsoDescription && words.every((each) => !each.includes('/')),
    named: topicsOnly ? undefined : { holds: isNamed(filter) },
    tagged:
      topics.length === 0 ? undefined : topics.length > fewTopics ? { holds: hasTopic(isTopic) } : ofTopics(isOfTopics),
  }
}

/** Repositories each of which is asked for its topics. */
const hasTopic = (isTopic: Condition): Condition =>
  sql<SqlBool>`exists (select 1 from repo_topic inner join topic on topic.id = repo_topic.topic_id
    where repo_topic.repo_id = repo.id and ${isTopic})`

function ofTopics(isOfTopics: Condition): Search {
  const ids = sql`(select distinct repo_id from repo_topic where ${isOfTopics})`
  return { holds: sql<SqlBool>`repo.id in ${ids}`, ids }
}

const limitedTo = (query: Selected, conditions: readonly (Condition | undefined)[]): Selected =>
  conditions.reduce<Selected>((left, condition) => (condition ? left.where(condition) : left), query)

/** How a list is come to: its parts, which do not overlap, and what they are limited by. */
interface Plan {
  /** Parts in which all are counted, and found where they are sorted anyway; limited to what is searched for. */
  readonly counted: (search?: Search) => readonly Selected[]
  /** Parts each of which an index has in every order. */
  readonly ordered: (offset: number) => Promise<Part[]>
  /** What `counted` comes from; undefined: all there are. */
  readonly set: RepoSet | undefined
  /** How many there are of all of `counted`. */
  readonly count: () => Promise<number>
  /** How many repositories there are of each audience, whatever is asked for. */
  readonly sizes: () => Promise<ReadonlyMap<number, number>>
}

async function planOf(db: Db, filter: RepoFilter, viewer: Viewer | undefined): Promise<Plan> {
  const audiences = audiencesOf(filter)
  const near = await findNear(db, viewer, audiences)
  const [set, ...others] = await setsOf(db, filter)
  const asked = [...marksOf(filter), ...others.map(({ holds }) => holds())]
  const parts = (isOrdered: boolean) => entranceParts(viewer, { audiences, isOrdered, near, db })
  const open = parts(false)
  const isOpen = open.length === 0 ? sql<SqlBool>`1 = 0` : either(open)
  const shownOf = ({ rows }: Way, search?: Search) => limitedTo(rows(), [isOpen, ...asked, search?.holds])
  const counted = (search?: Search) =>
    set
      ? set.ways.map((way) => shownOf(way, search))
      : open.map((part) => limitedTo(search ? searched(db, search) : rowsOfRepo(db), [part, ...asked]))
  const most = openTo(viewer, audiences)
  // What is open to all like the viewer is the first part then, and is counted already.
  const isTallied = filter.notOwnedBy === undefined && most >= audiences.least
  const beside = open.slice(1)
  let known: Promise<ReadonlyMap<number, number>> | undefined
  const sizes = () => (known ??= countAudiences(db))
  const countSet = ({ ways }: RepoSet): Count[] =>
    ways.flatMap((way) => {
      const { owned } = way
      return owned && isTallied && asked.length === 0
        ? [
            ownerTally(db, owned, { least: audiences.least, most }),
            ...beside.map((part) => countIn(limitedTo(rowsOfRepo(db), [part, owned.holds]))),
          ]
        : [countIn(shownOf(way))]
    })
  return {
    counted,
    ordered: async (offset) => {
      const totals = isDeep({ offset }, nearRows) ? await sizes() : new Map<number, number>()
      return parts(true).flatMap((part, index) => {
        const audience = audiences.least + index <= most ? audiences.least + index : undefined
        const size = audience === undefined ? undefined : set?.sizeOf?.(audience)
        if (size === 0) return []
        return [
          {
            rows: limitedTo(rowsOfRepo(db), [part, ...asked, set?.holds(audience)]),
            weight: audience === undefined ? 0 : (size ?? totals.get(audience) ?? 0),
          },
        ]
      })
    },
    set,
    sizes,
    count: async () => {
      if (set) return sumOf(db, countSet(set))
      if (!isTallied) return countOf(db, counted())
      return (await sumTally(db, filter, { least: audiences.least, most })) + (await countOf(db, counted().slice(1)))
    },
  }
}

/** Repositories that are walked through to a page rather than counted: they are asked more than a count asks. */
const nearRows = 500

/** How many repositories there are of each audience. */
async function countAudiences(db: Db): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('repo_tally')
    .select((select) => ['audience', select.fn.sum<number | string>('total').as('total')])
    .groupBy('audience')
    .execute()
  return new Map(rows.map(({ audience, total }) => [audience, Number(total)]))
}

/** How many repositories of some audiences have the marks that a filter asks for. */
async function sumTally(db: Db, filter: RepoFilter, { least, most }: Audiences): Promise<number> {
  const { isTemplate, isArchived, isFork, isMirror } = filter
  const asked = { is_template: isTemplate, is_archived: isArchived, is_fork: isFork, is_mirror: isMirror }
  let query = db.selectFrom('repo_tally').where('audience', '>=', least).where('audience', '<=', most)
  for (const [column, value] of Object.entries(asked)) {
    if (value !== undefined) query = query.where(column as keyof typeof asked, '=', value)
  }
  const { total } = await query
    .select((select) =>
      select.fn.coalesce(select.fn.sum<number | string>('total'), sql<number | string>`0`).as('total'),
    )
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** How many repositories of some audiences owners have. */
function ownerTally(db: Db, owned: Owned, { least, most: mostAsked }: Audiences): Count {
  const { ownerIds, byAudience } = owned
  const most = Math.min(mostAsked, owned.most)
  if (byAudience) {
    return Array.from(byAudience).reduce(
      (sum, [audience, { total }]) => (audience >= least && audience <= most ? sum + total : sum),
      0,
    )
  }
  return sql<number>`(select coalesce(sum(total), 0) from repo_owner_tally where ${isOneOf(db, sql.ref('owner_id'), ownerIds)}
    and audience between ${sql.lit(least)} and ${sql.lit(most)})`
}

/** A number that is known, or that the database is asked for. */
type Count = number | RawBuilder<number>

const countIn = (part: Selected): RawBuilder<number> =>
  sql<number>`(${part.clearSelect().select((select) => select.fn.countAll<number>().as('count'))})`

/** The sum of some counts. One question. */
async function sumOf(db: Db, counts: readonly Count[]): Promise<number> {
  const known = counts.reduce<number>((sum, count) => (typeof count === 'number' ? sum + count : sum), 0)
  const asked = counts.filter((count) => typeof count !== 'number')
  if (asked.length === 0) return known
  const { total } = await db
    .selectNoFrom(sql<number | string>`${sql.join(asked, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow()
  return known + Number(total)
}

/** How many rows some parts come to. */
const countOf = (db: Db, parts: readonly Selected[]): Promise<number> => sumOf(db, parts.map(countIn))

/** Repositories that are sorted without asking how many others there are. */
const soonSorted = 300
/** How much cheaper it is to pass over a row in an index than to look one up and sort it. */
const passingIsCheaper = 4

/** Whether a page of a narrow list is sooner found in the order, passing over what is not in it. */
async function isSoonerInOrder({ sizes }: Plan, page: Page, total: number): Promise<boolean> {
  if (total <= soonSorted) return false
  const all = [...(await sizes()).values()].reduce((sum, size) => sum + size, 0)
  const place = Math.min(page.offset, Math.max(0, total - page.offset)) + page.limit
  return (place * all) / total < total * passingIsCheaper
}

export interface FoundRepos {
  readonly repos: RepoRow[]
  readonly total: number
}

/** Whether nothing is asked for but words in names, in the order of names. */
function isOfNamesAlone(filter: RepoFilter, sort: RepoSort): boolean {
  const { words = [], topicsOnly, alsoDescription, publicOwnersOnly, ...others } = filter
  return (
    isByName(sort) &&
    !topicsOnly &&
    !alsoDescription &&
    !publicOwnersOnly &&
    // A word with a stroke may be the names of an owner and of a repository.
    words.every((word) => !word.includes('/')) &&
    Object.values(others).every((value) => value === undefined)
  )
}

const isByName = ({ by, firstOwnerId }: RepoSort): boolean => by === 'name' && firstOwnerId === undefined

/** Whether an index of names has all that words are found in, or leads to. */
const isFoundInNames = ({ set }: Plan, { named, tagged, isInNames }: Words, sort: RepoSort): boolean =>
  named !== undefined &&
  (tagged === undefined || tagged.ids !== undefined) &&
  isInNames &&
  isByName(sort) &&
  set === undefined

/** One page of the repositories that the viewer may see, and how many there are: of words `countedAtMost` at most. */
export async function searchRepos(
  db: Db,
  filter: RepoFilter,
  viewer: Viewer | undefined,
  sort: RepoSort,
  page: Page,
): Promise<FoundRepos> {
  const words = await findWords(db, filter)
  if (words?.named && words.tagged === undefined && isOfNamesAlone(filter, sort)) {
    const [word = '', ...others] = filter.words ?? []
    const found = others.length === 0 ? await findByName(db, viewer, word, page) : undefined
    if (found) return found
  }
  const plan = await planOf(db, filter, viewer)
  if (words && isFoundInNames(plan, words, sort)) {
    const isFound = either([words.named, words.tagged].flatMap((search) => search?.holds ?? []))
    return findInNames(
      db,
      (await plan.ordered(0)).map(({ rows }) => rows),
      isFound,
      page,
    )
  }
  const { ids, total } = words
    ? await holding(db, plan, words, sort, page)
    : await pageIn(db, await partsOf(plan, sort, page), sort, page)
  const found = await loadRepos(db, ids)
  return { repos: ids.flatMap((id) => found.get(id) ?? []), total }
}

/** The ids of a page, and how many there are on all. */
interface FoundIds {
  readonly ids: readonly RepoId[]
  readonly total: number
}

/** A part in which a page is found. */
interface Part {
  readonly rows: Selected
  /** How many there are of it as far as one knows, beside the others; 0: an index does not have it in the order. */
  readonly weight: number
}

const unweighted = (parts: readonly Selected[]): Part[] => parts.map((rows) => ({ rows, weight: 0 }))

/** The parts in which a page is found, and how many rows they come to. */
interface Found {
  readonly parts: readonly Part[]
  readonly total: number
  /** Whether the total counts all of them. */
  readonly isAll: boolean
}

async function partsOf(plan: Plan, sort: RepoSort, page: Page): Promise<Found> {
  const { counted, ordered, set, count } = plan
  const total = await count()
  const isSorted =
    set === undefined
      ? sort.firstOwnerId !== undefined
      : set.isById !== undefined && sort.by === 'id'
        ? set.isById === 'together'
        : !(await isSoonerInOrder(plan, page, total))
  if (isSorted) return { parts: unweighted(counted()), total, isAll: true }
  const parts = await ordered(page.offset)
  const isAmongOwners = sort.by === 'alpha' ? await set?.isAmongOwners?.() : undefined
  const limited = isAmongOwners ? parts.map((part) => ({ ...part, rows: part.rows.where(isAmongOwners) })) : parts
  return { parts: limited, total, isAll: true }
}

/** What words find: counted and sorted at once as long as it can be counted, else in the order. */
async function holding(db: Db, plan: Plan, words: Words, sort: RepoSort, page: Page): Promise<FoundIds> {
  const each = [words.named, words.tagged].filter((search) => search !== undefined)
  const parts = each.flatMap((search) => plan.counted(search))
  if (parts.length === 0) return { ids: [], total: 0 }
  const all = await sortedPage(db, parts, sort, page)
  if (all.total <= countedAtMost) return all
  const isSorted = plan.set !== undefined || sort.firstOwnerId !== undefined
  const found = (isSorted ? unweighted(plan.counted()) : await plan.ordered(page.offset)).map(({ rows, weight }) => ({
    rows: rows.where(either(each.map(({ holds }) => holds))),
    weight,
  }))
  return pageIn(db, { parts: found, total: countedAtMost, isAll: false }, sort, page)
}

/** The orders whose keys an index has beside the names. */
const withNames: ReadonlySet<RepoOrder> = new Set<RepoOrder>(['name', 'alpha', 'id'])

/** What is sorted whole before it is known how many others there are. */
const fewFound = 100

/** A page of what parts come to, each once, and how many there are: no more than one beyond those that are counted. */
async function sortedPage(db: Db, parts: readonly Selected[], sort: RepoSort, page: Page): Promise<FoundIds> {
  const { firstOwnerId } = sort
  const isOther = sql<number>`case when repo.owner_id = ${firstOwnerId} then 0 else 1 end`
  const keys: readonly OrderKey[] = [
    ...(firstOwnerId === undefined ? [] : [{ name: 'key_other', value: isOther, direction: 'asc' } as const, byOwner]),
    ...orderOf(sort),
  ]
  const values = keys.flatMap(({ name, value }) => (name === 'repo_id' ? [] : [value.as(name)]))
  // SQLite goes through names in an index, if that has all that is asked for; the rest is looked up of what was found.
  const isLookedUp = databaseKind(db) === 'sqlite' && !withNames.has(sort.by)
  const found = (part: Selected, atMost: number) =>
    sql`${(isLookedUp ? part : part.select(values)).limit(sql.lit(atMost + 1))}`
  const keyed = (rows: RawBuilder<unknown>) =>
    isLookedUp
      ? sql`(select found.repo_id, ${sql.join(values)} from ${rows} as found cross join repo where repo.id = found.repo_id)`
      : rows
  const order = sql.join(keys.map(({ name, direction }) => sql`${sql.ref(name)} ${sql.raw(direction)}`))
  const [only, ...others] = parts
  if (only && others.length === 0) {
    // As a set of its own, or SQLite would sort all that there are and end it afterwards.
    const { rows } = await sql<{ repo_id: RepoId }>`with found as materialized ${found(only, fewFound)}
      select repo_id from ${keyed(sql`found`)} as keyed order by ${order}`.execute(db)
    if (rows.length <= fewFound) {
      const ids = rows.slice(page.offset, page.offset + page.limit).map((row) => row.repo_id)
      return { ids, total: rows.length }
    }
  }
  const all = parts.map((part) => sql`select * from ${found(part, countedAtMost)} as part`)
  const { rows: many } = await sql<{ repo_id: RepoId | null; total: number }>`
    with found as materialized (${sql.join(all, sql` union `)} limit ${sql.lit(countedAtMost + 1)})
    select page.repo_id, counted.total from (select count(*) as total from found) as counted
      left join (select * from ${keyed(sql`found`)} as keyed order by ${order}
        limit (select case when count(*) > ${sql.lit(countedAtMost)} then 0 else ${sql.lit(page.limit)} end from found)
        offset ${page.offset}) as page on 1 = 1
    order by ${order}`.execute(db)
  return {
    ids: many.flatMap(({ repo_id }) => (repo_id === null ? [] : [repo_id])),
    total: many[0]?.total ?? 0,
  }
}

/** Where a page is, and of how many rows, where that is known. */
interface Place {
  readonly limit: number
  readonly offset: number
  readonly known: number | undefined
}

/** The page of some parts. */
async function pageIn(db: Db, { parts, total, isAll }: Found, sort: RepoSort, page: Page): Promise<FoundIds> {
  const limit = Math.min(page.limit, total - page.offset)
  if (limit <= 0) return { ids: [], total }
  const place = { limit, offset: page.offset, known: isAll ? total : undefined }
  const ids = await (sort.firstOwnerId === undefined
    ? placesOf(db, parts, orderOf(sort), place)
    : ownersFirst(db, parts, sort.firstOwnerId, orderOf(sort), place))
  return { ids, total }
}

const byOwner: OrderKey = { name: 'key_owner', value: sql.ref('repo.owner_id'), direction: 'asc' }

/** The ids of a page in which an owner's repositories come first and the others owner by owner, in an order each. */
async function ownersFirst(
  db: Db,
  parts: readonly Part[],
  ownerId: UserId,
  order: readonly OrderKey[],
  { limit, offset, known }: Place,
): Promise<RepoId[]> {
  // No index has the repositories of owners in these orders.
  const owned = parts.map(({ rows }) => rows.where('repo.owner_id', '=', ownerId))
  const own = await countOf(db, owned)
  const first = await placesOf(db, unweighted(owned), order, {
    limit: Math.min(limit, own - offset),
    offset,
    known: own,
  })
  const others = await placesOf(
    db,
    unweighted(parts.map(({ rows }) => rows.where('repo.owner_id', '!=', ownerId))),
    [byOwner, ...order],
    { limit: limit - first.length, offset: Math.max(0, offset - own), known: known && known - own },
  )
  return [...first, ...others]
}

/** The ids of a page of parts that are merged; what is nearer to the end is found from there. */
async function placesOf(db: Db, parts: readonly Part[], order: readonly OrderKey[], place: Place): Promise<RepoId[]> {
  const { isFromEnd, limit, offset } =
    place.known === undefined ? { ...place, isFromEnd: false } : nearerEnd(place, place.known)
  const keys = isFromEnd ? turnedOrder(order) : order
  const pieces = parts.map(({ rows, weight }): Piece<Schema, 'repo', { repo_id: RepoId }> => ({
    query: rows.select(keys.flatMap(({ name, value }) => (name === 'repo_id' ? [] : [value.as(name)]))),
    order: keys,
    rows: weight,
  }))
  const isIndexed = parts.some(({ weight }) => weight > 0)
  const places = await readMerged(db, pieces, { limit, offset }, { isIndexed, near: nearRows })
  return (isFromEnd ? places.toReversed() : places).map((row) => row.repo_id)
}
