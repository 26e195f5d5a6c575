import { sql, type RawBuilder, type SqlBool } from 'kysely'
import {
  allAudiences,
  entranceParts,
  findNear,
  openTo,
  type Audiences,
} from '../../access/conditions/access-rule.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { mergedPage, type OrderKey } from '../../db/merged-page.ts'
import { databaseKind } from '../../db/open.ts'
import { contains, isLike, lowerContains, patternOf } from '../../db/like.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import { totalOf, type Bound, type Page } from '../../lib/paging.ts'
import { boundedTotal, countedAtMost, findByName, findInNames } from './name-search.store.ts'
import {
  isOneOf,
  ledTo,
  rowsOfRepo,
  setsOf,
  textOfIds,
  type Condition,
  type Listed,
  type Owned,
  type RepoSet,
  type Selected,
  type SetFilter,
  type Way,
} from './repo-set.store.ts'
import { loadRepos } from '../repo.store.ts'

/** Which repositories a list has; what is left out does not limit it. */
export interface RepoFilter extends SetFilter {
  /** One of these texts is part of the name (or what is asked for beside it). */
  readonly words?: readonly string[] | undefined
  /** The words are whole names of topics and nothing else. */
  readonly topicsOnly?: boolean | undefined
  readonly alsoDescription?: boolean | undefined
  /** Not owned by this account. */
  readonly notOwnedBy?: UserId | undefined
  readonly isPrivate?: boolean | undefined
  /** Only public repositories of public owners. */
  readonly publicOwnersOnly?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
  readonly isFork?: boolean | undefined
  readonly isMirror?: boolean | undefined
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

/** Rows of `repo` of which each is asked something before anything else, for which PostgreSQL unpacks no more of it. */
const rowsThat = (db: Db, condition: Condition): Selected =>
  databaseKind(db) === 'sqlite'
    ? rowsOfRepo(db).where(condition)
    : db
        .selectFrom(sql<RepoRow>`(select * from repo where ${condition} offset 0)`.as('repo'))
        .select('repo.id as repo_id')

const searched = (db: Db, { holds, ids }: Search): Selected =>
  ids ? ledTo(db, ids, sql<SqlBool>`repo.id = origin.repo_id`) : rowsThat(db, holds)

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
  readonly ordered: () => readonly Selected[]
  /** What `counted` comes from; undefined: all there are. */
  readonly set: RepoSet | undefined
  /** How many there are of all of `counted`. */
  readonly count: () => Promise<number>
  /** How many repositories there are of each audience, whatever is asked for. */
  readonly sizes: ReadonlyMap<number, number>
}

async function planOf(db: Db, filter: RepoFilter, viewer: Viewer | undefined): Promise<Plan> {
  const audiences = audiencesOf(filter)
  const [near, [set, ...others], sizes] = await Promise.all([
    findNear(db, viewer, audiences),
    setsOf(db, filter),
    countAudiences(db),
  ])
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
  const isPlain = isTallied && asked.length === 0
  const beyond = [...sizes].reduce((sum, [audience, size]) => (audience > most ? sum + size : sum), 0)
  /** Whether a set of all that the viewer does not see is sooner asked than each repository. */
  const hasFewUnseen =
    isPlain && audiences.least === allAudiences.least && beyond <= soonASet && databaseKind(db) === 'postgres'
  const countWay = (way: Way): readonly Count[] => {
    const { owned, listed } = way
    if (owned && isPlain) {
      return [
        ownerTally(db, owned, { least: audiences.least, most }),
        ...beside.map((part) => countIn(limitedTo(rowsOfRepo(db), [part, owned.holds]))),
      ]
    }
    const isUnseen = sql`repo.audience > ${sql.lit(most)} and not ${isOpen}`
    if (!listed || !hasFewUnseen) return [countIn(shownOf(way))]
    return [beyond === 0 && listed.total !== undefined ? listed.total : countListed(listed, isUnseen)]
  }
  return {
    counted,
    ordered: () =>
      parts(true).map((part, index) => {
        const audience = audiences.least + index <= most ? audiences.least + index : undefined
        return limitedTo(rowsOfRepo(db), [part, ...asked, set?.holds(audience)])
      }),
    set,
    sizes,
    count: async () => {
      if (set) return sumOf(db, set.ways.flatMap(countWay))
      if (!isTallied) return countOf(db, counted())
      return (await sumTally(db, filter, { least: audiences.least, most })) + (await countOf(db, counted().slice(1)))
    },
  }
}

const talliesOfAudiences = preparedQuery((db: Db) =>
  db
    .selectFrom('repo_tally')
    .select((select) => ['audience', select.fn.sum<number | string>('total').as('total')])
    .groupBy('audience'),
)

/** How many repositories there are of each audience. */
async function countAudiences(db: Db): Promise<ReadonlyMap<number, number>> {
  const rows = await talliesOfAudiences(db)
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
  const { ownerIds } = owned
  const most = Math.min(mostAsked, owned.most)
  return sql<number>`(select coalesce(sum(total), 0) from repo_owner_tally where ${isOneOf(db, sql.ref('owner_id'), ownerIds)}
    and audience between ${sql.lit(least)} and ${sql.lit(most)})`
}

/** A number that is known, or that the database is asked for. */
type Count = number | RawBuilder<number>

const countIn = (part: Selected): RawBuilder<number> =>
  sql<number>`(${part.clearSelect().select((select) => select.fn.countAll<number>().as('count'))})`

/** How many ids another table has, but for those of some repositories. */
const countListed = ({ ids, isNearby }: Listed, isUnseen: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(select count(*) from ${ids} as origin where origin.repo_id not in (
    select repo.id from repo where ${isUnseen}${isNearby ? sql` and ${isNearby}` : sql``}))`

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
const passingIsCheaper = {
  usually: 4,
  /** Where nothing is looked up of what is passed over, on PostgreSQL: a row takes it 0.1 µs, and 1.2 to find and sort one. */
  ofKnown: 12,
}

/** Of so many ids PostgreSQL makes a set; of very many it would go through all of them for each row. */
const soonASet = 30_000
/** Whether a page of a narrow list is sooner found in the order, passing over what is not in it. */
function isSoonerInOrder({ sizes, set }: Plan, { by }: RepoSort, page: Page, total: number): boolean {
  if (total <= soonSorted) return false
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const place = page.offset + page.limit
  // What an owner has is all in one place of the order of owners.
  const factor = passingIsCheaper[set?.isKnown && by !== 'alpha' ? 'ofKnown' : 'usually']
  return (place * all) / total < total * factor
}

export interface FoundRepos {
  readonly repos: RepoRow[]
  readonly total: number
  /** Words find more repositories than are counted. */
  readonly bound?: Bound | undefined
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
    return findInNames(db, plan.ordered(), isFound, page)
  }
  const { ids, total, bound } = words
    ? await holding(db, plan, words, sort, page)
    : await pageOfAll(db, plan, sort, page)
  const found = await loadRepos(db, ids)
  return { repos: ids.flatMap((id) => found.get(id) ?? []), total, bound }
}

/** The ids of a page, and how many there are on all. */
interface FoundIds {
  readonly ids: readonly RepoId[]
  readonly total: number
  readonly bound?: Bound
}

/** Returns a page without words. The kept total chooses the way to it and does not decide its rows. */
async function pageOfAll(db: Db, plan: Plan, sort: RepoSort, page: Page): Promise<FoundIds> {
  const { parts, total } = await partsOf(plan, sort, page)
  const ids = await pageIn(db, parts, sort, page)
  return { ids, total: totalOf(total, page, ids.length) }
}

/** The parts in which a page is found, and the kept number of their rows. */
interface Found {
  readonly parts: readonly Selected[]
  readonly total: number
}

async function partsOf(plan: Plan, sort: RepoSort, page: Page): Promise<Found> {
  const { counted, ordered, set, count } = plan
  const total = await count()
  const isSorted =
    set === undefined
      ? sort.firstOwnerId !== undefined
      : set.isById !== undefined && sort.by === 'id'
        ? set.isById === 'together'
        : !isSoonerInOrder(plan, sort, page, total)
  if (isSorted) return { parts: counted(), total }
  const parts = ordered()
  const isAmongOwners = sort.by === 'alpha' ? await set?.isAmongOwners?.() : undefined
  const limited = isAmongOwners ? parts.map((part) => part.where(isAmongOwners)) : parts
  return { parts: limited, total }
}

/** What words find: counted and sorted at once as long as it can be counted, else in the order. */
async function holding(db: Db, plan: Plan, words: Words, sort: RepoSort, page: Page): Promise<FoundIds> {
  const each = [words.named, words.tagged].filter((search) => search !== undefined)
  const parts = each.flatMap((search) => plan.counted(search))
  if (parts.length === 0) return { ids: [], total: 0 }
  const all = await sortedPage(db, parts, sort, page, 'union')
  if (all.total <= countedAtMost) return all
  const isSorted = plan.set !== undefined || sort.firstOwnerId !== undefined
  const isHeld = either(each.map(({ holds }) => holds))
  const found = (isSorted ? plan.counted() : plan.ordered()).map((part) => part.where(isHeld))
  const limit = Math.max(0, Math.min(page.limit, countedAtMost - page.offset))
  return { ids: await pageIn(db, found, sort, { limit, offset: page.offset }), ...boundedTotal(all.total) }
}

/** The orders whose keys an index has beside the names. */
const withNames: ReadonlySet<RepoOrder> = new Set<RepoOrder>(['name', 'alpha', 'id'])

/** What is sorted whole before it is known how many others there are. */
const fewFound = 100

/**
 * A page of what parts come to, each once, and how many there are: no more than one beyond those that are counted.
 * @param together `union all`: no two parts come to the same
 */
async function sortedPage(
  db: Db,
  parts: readonly Selected[],
  sort: RepoSort,
  page: Page,
  together: 'union' | 'union all',
): Promise<FoundIds> {
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
    with found as materialized (${sql.join(all, sql` ${sql.raw(together)} `)} limit ${sql.lit(countedAtMost + 1)})
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

type Place = Pick<Page, 'limit' | 'offset'>

/** Returns the ids of a page of some parts. */
const pageIn = (db: Db, parts: readonly Selected[], sort: RepoSort, place: Place): Promise<RepoId[]> =>
  sort.firstOwnerId === undefined
    ? placesOf(db, parts, orderOf(sort), place)
    : ownersFirst(db, parts, sort.firstOwnerId, orderOf(sort), place)

const byOwner: OrderKey = { name: 'key_owner', value: sql.ref('repo.owner_id'), direction: 'asc' }

/** The ids of a page in which an owner's repositories come first and the others owner by owner, in an order each. */
async function ownersFirst(
  db: Db,
  parts: readonly Selected[],
  ownerId: UserId,
  order: readonly OrderKey[],
  { limit, offset }: Place,
): Promise<RepoId[]> {
  // No index has the repositories of owners in these orders.
  const owned = parts.map((part) => part.where('repo.owner_id', '=', ownerId))
  const own = await countOf(db, owned)
  const first = await placesOf(db, owned, order, { limit, offset })
  const others = await placesOf(
    db,
    parts.map((part) => part.where('repo.owner_id', '!=', ownerId)),
    [byOwner, ...order],
    { limit: limit - first.length, offset: Math.max(0, offset - own) },
  )
  return [...first, ...others]
}

/** Returns the ids of a page of parts that are merged. */
async function placesOf(
  db: Db,
  parts: readonly Selected[],
  order: readonly OrderKey[],
  place: Place,
): Promise<RepoId[]> {
  const values = order.flatMap(({ name, value }) => (name === 'repo_id' ? [] : [value.as(name)]))
  if (parts.length === 0) return []
  const queries = parts.map((part) => part.select(values))
  const places = await mergedPage(db, queries, order, place).execute()
  return places.map((row) => row.repo_id)
}
