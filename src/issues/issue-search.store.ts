import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { allAudiences, findReadable, openTo, type ReadableRepos } from '../access/access-rule.store.ts'
import { teamHoldsRepo } from '../access/team-holds.store.ts'
import type { Db } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { IssueId, RepoId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { conditions, type FoundPlaces, type IssueFilter, type VisibleScope } from './issue-filter.store.ts'
import {
  countSources,
  inOrder,
  ofIssue,
  sourcesOf,
  type PlaceColumns,
  type Source,
  type Way,
} from './search-source.store.ts'
import { exceedsAllowance, usualAllowance, type WordScope } from './issue-words.store.ts'

type Condition = Expression<SqlBool>

/** How much a search looks at. Tests have smaller ones. */
export interface SearchLimits {
  /** A search over several repositories shows and counts this many, the newest: who wants all asks by time or repository. */
  readonly found: number
  /** What is asked for and has more rows than these is not gone through, unless an index has it in the order. */
  readonly candidates: number
  /** Repositories of each audience that are looked at to tell how many issues are seen. */
  readonly weighed: number
  /** Of an owner that has more repositories, issues are found in the order. */
  readonly repos: number
  /** What is done repository by repository without asking how many others there are, in tenths of a microsecond. */
  readonly soonDone: number
  /** Of more repositories that a viewer does not see no set is made. */
  readonly unseen: number
  /** Of so many rows the repository of each is looked up before such a set is made. */
  readonly lookedUp: number
  /** Words are found exactly in the repositories that a search is limited to, or that were given to the viewer, up to so many. */
  readonly exactRepos: number
  /** Elsewhere words are found in the newest texts, and comments, as many as these. */
  readonly texts: number
}

const usual: SearchLimits = {
  found: 5000,
  candidates: 20_000,
  weighed: 500,
  repos: 5000,
  soonDone: 60_000,
  unseen: 30_000,
  lookedUp: 200,
  exactRepos: 500,
  texts: usualAllowance,
}

/** A kind and a state of issues. */
interface Part {
  readonly isPull: boolean
  readonly isClosed: boolean
}

export type SearchFilter = IssueFilter & { readonly scope: VisibleScope }

/** A search, with what was found out about who asks. */
interface Search {
  readonly db: Db
  readonly limits: SearchLimits
  readonly filter: SearchFilter
  readonly parts: readonly Part[]
  /** In which repositories the viewer reads what. */
  readonly readable: ReadonlyMap<'issues' | 'pulls', ReadableRepos>
  /** That a row of `repo` is of the owner and the team that are asked for. */
  readonly isOfScope: readonly Condition[]
  /** Whether the repositories that the viewer does not see are so few that a set of them is sooner asked than each row's. */
  readonly hasFewUnseen: boolean
  /** Whether the page is so far that many rows are passed over anyway. */
  readonly isFar: boolean
}

/** Ids, repositories and creation of issues. Names that no table has: an order would take those of a table. */
type Rows = RawBuilder<{ place_id: IssueId; place_repo_id: RepoId; place_unix: number }>

const placesOf = ({ id, repo, created }: PlaceColumns, isPull?: RawBuilder<unknown>) =>
  sql`${sql.ref(id)} as place_id, ${sql.ref(repo)} as place_repo_id, ${sql.ref(created)} as place_unix${
    isPull ? sql`, ${isPull} as place_is_pull` : sql``
  }`
const newestFirst = sql`order by place_unix desc, place_id desc`

const allOf = (each: readonly Condition[]) => sql<SqlBool>`${sql.join(each, sql` and `)}`

const unitOf = (isPull: boolean) => (isPull ? 'pulls' : 'issues')

/** A page after so many times as many rows as are looked up is far. */
const farFrom = 5

async function searchOf(
  db: Db,
  filter: SearchFilter,
  { offset }: Pick<Page, 'offset'>,
  limits: SearchLimits,
): Promise<Search> {
  const { viewer, ownerId, teamId } = filter.scope
  const units = filter.isPull.map(unitOf)
  const states = filter.isClosed === undefined ? [false, true] : [filter.isClosed]
  const isEverywhere = ownerId === undefined && teamId === undefined
  const [readable, hasFewUnseen] = await Promise.all([
    findReadable(db, viewer, units),
    databaseKind(db) === 'postgres' && isEverywhere && hasFewBeyond(db, openTo(viewer, allAudiences), limits.unseen),
  ])
  return {
    db,
    limits,
    filter,
    parts: states.flatMap((isClosed) => filter.isPull.map((isPull) => ({ isPull, isClosed }))),
    readable,
    hasFewUnseen,
    isFar: offset > farFrom * limits.lookedUp,
    isOfScope: [
      ...(ownerId === undefined ? [] : [sql<SqlBool>`repo.owner_id = ${ownerId}`]),
      ...(teamId === undefined
        ? []
        : [sql<SqlBool>`exists (select 1 from team where team.id = ${teamId} and ${teamHoldsRepo('repo.id')})`]),
    ],
  }
}

const repositoriesBeyond = preparedQuery((db: Db, audience: number) =>
  db
    .selectFrom('repo_tally')
    .where('audience', '>', audience)
    .select((select) => select.fn.sum<number | string | null>('total').as('total')),
)

/** Whether few repositories have an audience beyond one that is open to somebody. */
async function hasFewBeyond(db: Db, audience: number, atMost: number): Promise<boolean> {
  if (audience < 0) return false
  const [beyond] = await repositoriesBeyond(db, audience)
  return Number(beyond?.total ?? 0) <= atMost
}

const readableOf = ({ readable }: Search, isPull: boolean): ReadableRepos =>
  readable.get(unitOf(isPull)) as ReadableRepos

/** That the unit of issues, or of pull requests, is switched on in the repository of a row. */
const isUnitOn = (repo: string, isPull: boolean): Condition =>
  // As in `access/`: a value, for which PostgreSQL looks into the index once a row.
  sql<SqlBool>`(select 1 from repo_unit where repo_unit.repo_id = ${sql.ref(repo)}
    and repo_unit.unit = ${sql.lit(unitOf(isPull))} limit 1) is not null`

/** Who sees a repository is in an index, which SQLite does not take by itself where it could find the row. */
const repoSeen = (db: Db) => (databaseKind(db) === 'sqlite' ? sql`repo indexed by repo_seen` : sql`repo`)

/** The repository of each row, which PostgreSQL looks up one by one. */
const repoOf = ({ repo }: PlaceColumns) =>
  sql`lateral (select * from repo where repo.id = ${sql.ref(repo)} offset 0) as repo`

/** What a filter asks for beside what rows are found by. */
function restOf({ db, filter }: Search, serves: Source['serves'] = []): Condition[] {
  const rest = { ...filter, ...Object.fromEntries(serves.map((name) => [name, undefined])) }
  return conditions(db, expressionBuilder<Schema, 'issue'>(), rest, 'order')
}

/** A column that SQLite is not to look for an index of. */
const passedOver = (db: Db, column: string) =>
  databaseKind(db) === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)

/**
 * That a row is in no repository that is hidden even from those who see all: being imported, these are few, and a set of them is
 * sooner asked than the repository of each row.
 */
const isOfSeen = ({ repo }: PlaceColumns): Condition =>
  sql<SqlBool>`${sql.ref(repo)} not in (select repo.id from repo where repo.audience > ${sql.lit(allAudiences.most)})`

/** Rows that a source comes to in repositories that are seen: those of each part, or of all at once. */
function rowsBySource(search: Search, { ways, serves }: Source, wanted: WantedRepos = {}): Rows[] {
  const rest = restOf(search, serves)
  // Where more is asked of rows, PostgreSQL would look for all that have it before the first of them is seen.
  const isSeenLater = ({ isLookedUp, isOrdered: isInOrder }: Way) =>
    search.hasFewUnseen &&
    (rest.length === 0 || (isInOrder && isOfTimes(search.filter))) &&
    !isLookedUp &&
    !seesAllOf(search, wanted)
  const rowsOf = (way: Way) => rowsByWay(search, way, rest, { ...wanted, isSeenLater: isSeenLater(way) })
  const later = ways.filter(isSeenLater).flatMap(rowsOf)
  return [
    ...ways.filter((way) => !isSeenLater(way)).flatMap(rowsOf),
    ...(later.length === 0 ? [] : [seenAmong(search, later)]),
  ]
}

/**
 * All rows of a piece, in their order. PostgreSQL learns only by and by that all are wanted, and so looks for the index that has
 * the order rather than for all that changed in a time, which it would then have to sort.
 */
const inOrderBy = (piece: Rows): Rows =>
  sql`select * from (${piece} ${newestFirst} limit (select ${sql.lit(2 ** 31)})) as piece`

/**
 * Those of some rows whose repository is seen. Of the first ones each is looked up, and when that has not been enough, a set of
 * all others is asked, which is made once: somebody may have thousands where they see nothing any more.
 */
function seenAmong({ limits, readable, filter, isFar }: Search, pieces: readonly Rows[]): Rows {
  const isSeen = ({ open, isReadable, isGiven }: ReadableRepos) => {
    const unseen = sql`select repo.id from repo where repo.audience > ${sql.lit(open)}${isGiven ? sql` and not ${isGiven}` : sql``}`
    const isInNone = sql`passed.place_repo_id not in (${unseen})`
    if (isFar) return isInNone
    return sql`case when passed.place <= ${sql.lit(limits.lookedUp)}
      then (select case when ${isReadable} then 1 else 0 end from repo where repo.id = passed.place_repo_id) = 1
      else ${isInNone} end`
  }
  const [one, ...others] = filter.isPull.map((isPull) => readable.get(unitOf(isPull)) as ReadableRepos)
  const isSame = one !== undefined && others.every((other) => other === one)
  const isPlaceSeen = isSame
    ? isSeen(one)
    : sql`case when passed.place_is_pull then ${isSeen(readable.get('pulls') as ReadableRepos)}
        else ${isSeen(readable.get('issues') as ReadableRepos)} end`
  const all = sql`(${sql.join(pieces.map(inOrderBy), sql` union all `)})`
  const passed = isFar
    ? sql`select * from ${all} as piece ${newestFirst} offset 0`
    : sql`select *, row_number() over (${newestFirst}) as place from ${all} as piece`
  return sql`select place_id, place_repo_id, place_unix from (${passed}) as passed where ${isPlaceSeen}`
}

/** Whether nobody needs to look who sees the repositories of rows. */
const seesAllOf = ({ isOfScope, readable }: Search, { isSeen = false }: WantedRepos): boolean =>
  isSeen || (isOfScope.length === 0 && [...readable.values()].every(({ open }) => open === allAudiences.most))

/** In which repositories rows are looked for; nothing: in all. */
interface WantedRepos {
  /** What the repository of a row is to be, as `= 1`. */
  readonly isRepo?: RawBuilder<unknown>
  /** It is known that the viewer sees these. */
  readonly isSeen?: boolean
  /** Whether the viewer sees them is asked of what is found; what says of which kind a row is comes along. */
  readonly isSeenLater?: boolean
}

function rowsByWay(search: Search, way: Way, rest: readonly Condition[], wanted: WantedRepos): Rows[] {
  const { db, filter, isOfScope } = search
  const { isRepo, isSeenLater = false } = wanted
  const { place, isPullOnly } = way
  const isPartly = rest.length > 0 && !way.hasIssue
  const seesAll = seesAllOf(search, wanted)
  const isRepoAsked = !seesAll && !isSeenLater
  const isReadable = (isPull: boolean) => {
    const isOn = isUnitOn(place.repo, isPull)
    if (isSeenLater) return isOn
    return allOf([isOn, seesAll ? isOfSeen(place) : readableOf(search, isPull).isReadable])
  }
  const kind = isSeenLater ? (isPullOnly ? sql`${sql.lit(true)}` : sql.ref(place.isPull)) : undefined
  const rows = (ofParts: readonly Condition[]): Rows => {
    const ofIssue = isPartly ? [sql<SqlBool>`issue.id = ${sql.ref(place.id)}`] : []
    const ofRepo = isRepoAsked ? [sql<SqlBool>`repo.id = ${sql.ref(place.repo)}`] : []
    const ofWanted = isRepo ? [sql<SqlBool>`${sql.ref(place.repo)} ${isRepo}`] : []
    const where = [...ofRepo, ...ofWanted, ...way.where, ...ofParts, ...isOfScope, ...ofIssue, ...rest]
    const repo = isRepoAsked ? sql` cross join ${way.isLookedUp ? repoOf(place) : repoSeen(db)}` : sql``
    return sql`select ${way.mayRepeat ? sql`distinct ` : sql``}${placesOf(place, kind)}
      from ${way.from}${repo}${isPartly ? sql` cross join issue` : sql``} where ${allOf(where)}`
  }
  const kinds = filter.isPull.filter((isPull) => isPull || !isPullOnly)
  if (way.isOrdered) {
    const parts = search.parts.filter(({ isPull }) => kinds.includes(isPull))
    return parts.map(({ isPull, isClosed }) =>
      rows([
        ...(isPullOnly ? [] : [sql<SqlBool>`${sql.ref(place.isPull)} = ${sql.lit(isPull)}`]),
        sql<SqlBool>`${sql.ref(place.isClosed)} = ${sql.lit(isClosed)}`,
        isReadable(isPull),
      ]),
    )
  }
  if (kinds.length === 0) return []
  const ofKinds = kinds.map((isPull) =>
    isPullOnly
      ? isReadable(isPull)
      : sql<SqlBool>`(${passedOver(db, place.isPull)} = ${sql.lit(isPull)} and ${isReadable(isPull)})`,
  )
  const states = filter.isClosed === undefined ? [] : [filter.isClosed]
  return [
    rows([
      ...states.map((isClosed) => sql<SqlBool>`${passedOver(db, place.isClosed)} = ${sql.lit(isClosed)}`),
      sql<SqlBool>`(${sql.join(ofKinds, sql` or `)})`,
    ]),
  ]
}

/**
 * Rows of few repositories.
 * @param hasLarge whether one of them may have more issues than are shown: of that the newest are enough
 */
function rowsByRepos(search: Search, hasLarge: boolean): Rows[] {
  const { limits, parts } = search
  const rest = restOf(search)
  const scope = search.isOfScope.length === 0 ? sql`` : sql` and ${allOf(search.isOfScope)}`
  const size = hasLarge ? sql`, repo.num_issues + repo.num_pulls as size` : sql``
  return parts.map(({ isPull, isClosed }) => {
    const { open, isGiven } = readableOf(search, isPull)
    const isOn = isUnitOn('repo.id', isPull)
    const repos = (isReadable: Condition) =>
      sql`select repo.id${size} from repo where ${isReadable} and ${isOn}${scope}`
    const sets = [
      ...(open < 0 ? [] : [repos(sql<SqlBool>`repo.audience between 0 and ${sql.lit(open)}`)]),
      ...(isGiven ? [repos(sql<SqlBool>`repo.audience > ${sql.lit(open)} and ${isGiven}`)] : []),
    ]
    const few = sets.length === 0 ? repos(sql<SqlBool>`1 = 0`) : sql`${sql.join(sets, sql` union all `)}`
    const isOfKind = (table: string) => [
      sql<SqlBool>`${sql.ref(`${table}.is_closed`)} = ${sql.lit(isClosed)}`,
      sql<SqlBool>`${sql.ref(`${table}.is_pull`)} = ${sql.lit(isPull)}`,
    ]
    const isOfPart = (table: string) => [sql<SqlBool>`${sql.ref(`${table}.repo_id`)} = few.id`, ...isOfKind(table)]
    const oldest = sql`case when few.size > ${sql.lit(limits.found)} then (
      select newest.created_unix from issue as newest where ${allOf(isOfPart('newest'))}
      order by newest.created_unix desc limit 1 offset ${sql.lit(limits.found)}) end`
    const isNew = sql<SqlBool>`issue.created_unix >= coalesce(${oldest}, ${sql.lit(Number.MIN_SAFE_INTEGER)})`
    if (rest.length === 0 && !hasLarge && databaseKind(search.db) === 'postgres') {
      // By one step of the index, which a loop over the repositories would enter anew for each.
      const isOfFew = sql<SqlBool>`issue.repo_id = any(array(select few.id from (${few}) as few))`
      return sql`select ${placesOf(ofIssue)} from issue where ${allOf([isOfFew, ...isOfKind('issue')])}`
    }
    const where = [...isOfPart('issue'), ...rest, ...(hasLarge ? [isNew] : [])]
    return sql`select ${placesOf(ofIssue)} from (${few}) as few cross join issue where ${allOf(where)}`
  })
}

/**
 * Rows of several pieces, the newest first. PostgreSQL finds a piece in its order only where it is told how much is wanted of
 * it; SQLite does so by itself, and would keep each piece whole otherwise.
 */
const merged = (db: Db, rows: readonly Rows[], atMost: number): Rows => {
  const pieces =
    databaseKind(db) === 'sqlite'
      ? rows
      : rows.map((piece) => sql`select * from (${piece} ${newestFirst} limit ${sql.lit(atMost)}) as piece`)
  return sql`${sql.join(pieces, sql` union all `)} ${newestFirst}`
}

/** Returns the page and the number of rows, both out of the newest rows, which one statement reads. */
async function findCounted(
  { db, limits }: Search,
  rows: readonly Rows[],
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<FoundPlaces> {
  if (rows.length === 0) return { places: [], total: 0 }
  const size = Math.max(0, Math.min(limit, limits.found - offset))
  // What is kept for a statement is read in the order in which it was put there, on both databases.
  const found = await sql<{ place_id: IssueId | null; place_repo_id: RepoId; total: number }>`
    with found as materialized (${merged(db, rows, limits.found + 1)} limit ${sql.lit(limits.found + 1)})
    select page.place_id, page.place_repo_id, counted.total
    from (select count(*) as total from found) as counted
      left join (select place_id, place_repo_id from found limit ${size} offset ${offset}) as page on 1 = 1`.execute(db)
  return {
    places: found.rows.flatMap(({ place_id, place_repo_id }) =>
      place_id === null ? [] : [{ id: place_id, repo_id: place_repo_id }],
    ),
    ...boundedTotal(found.rows[0]?.total ?? 0, limits),
  }
}

const boundedTotal = (total: number, { found }: SearchLimits): Pick<FoundPlaces, 'total' | 'bound'> =>
  total > found ? { total: found, bound: 'rows' } : { total }

/** What the counters of repositories say. */
interface Weight {
  /** So many repositories are looked into. */
  readonly repos: number
  /** So many issues they have, of which no repository counts for more than a search finds. */
  readonly issues: number
  /** Whether one of the repositories may have more issues than a search finds. */
  readonly hasLarge: boolean
}

const sizeOf = ({ limits }: Search) => sql`case when num_issues + num_pulls > ${sql.lit(limits.found)}
  then ${sql.lit(limits.found)} else num_issues + num_pulls end`

interface Weighed {
  readonly repos: number
  readonly most: number | null
  readonly issues: number | string | null
}

/** Of repositories of an owner, or of those that were given: all of them. */
async function weighFew(search: Search, isOne: Condition): Promise<Weight> {
  const { db, limits } = search
  const { rows } = await sql<Weighed>`select count(*) as repos, max(issues) as most, sum(issues) as issues from (
    select ${sizeOf(search)} as issues from repo where ${isOne} limit ${sql.lit(limits.repos)}) as few`.execute(db)
  const [found] = rows
  return {
    repos: found?.repos ?? 0,
    issues: Number(found?.issues ?? 0),
    hasLarge: (found?.most ?? 0) >= limits.found,
  }
}

/** Of all repositories: those with the most issues, and how many others there are. */
async function weighAll(search: Search, open: number): Promise<Weight> {
  const { db, limits, readable } = search
  const audiences = Array.from({ length: open + 1 }, (_, audience) => audience)
  const largest = audiences.map(
    (audience) => sql`select * from (
      select num_issues, num_pulls from repo
      where audience = ${sql.lit(audience)} order by num_issues desc limit ${sql.lit(limits.weighed)}) as of_audience`,
  )
  const { rows } = await sql<Omit<Weighed, 'most'> & { least: number | null; all_repos: number | string | null }>`
    select count(*) as repos, sum(${sizeOf(search)}) as issues,
      min(num_issues + num_pulls) as least,
      (select sum(total) from repo_tally where audience between 0 and ${sql.lit(open)}) as all_repos
    from (${sql.join(largest, sql` union all `)}) as largest`.execute(db)
  const [found] = rows
  const given = Math.max(...[...readable.values()].map(({ numGiven }) => numGiven))
  const repos = Number(found?.all_repos ?? 0) + given
  const others = Math.max(0, repos - (found?.repos ?? 0))
  return {
    repos,
    issues: Number(found?.issues ?? 0) + others * (found?.least ?? 0),
    hasLarge: true,
  }
}

/** What a step costs: to a row in the order, with its repository; to a repository; to a row of its own. */
const steps = { inOrder: 3, toRepo: 10, inRepo: 3 }

/** Whether so many rows are sooner found repository by repository than in the order, passing over what is not seen. */
async function isSoonerByRepos({ db }: Search, byRepos: number, { issues }: Weight, wanted: number): Promise<boolean> {
  const { newest } = await db
    .selectFrom('issue')
    .select((select) => select.fn.max('id').as('newest'))
    .executeTakeFirstOrThrow()
  const passed = Math.min(newest ?? 0, (wanted * (newest ?? 0)) / Math.max(1, issues))
  return byRepos < passed * steps.inOrder
}

/** Whether nothing is asked of issues but kind and state. */
const isPlain = ({ scope: _scope, isClosed: _state, isPull: _kinds, ...others }: IssueFilter): boolean =>
  Object.values(others).every((value) => value === undefined)

/** A page of what is seen, where nothing else that is asked for is rare. */
async function findBroad(search: Search, page: Pick<Page, 'limit' | 'offset'>): Promise<FoundPlaces> {
  const { filter, limits, readable, isOfScope } = search
  const open = Math.max(...[...readable.values()].map((each) => each.open))
  const given = [...readable.values()].flatMap(({ isGiven }) => (isGiven ? [isGiven] : []))
  const isScoped = isOfScope.length > 0
  if (open < 0 && given.length === 0) return { places: [], total: 0 }
  const isFew = isScoped || open < 0
  const weight = isFew
    ? await weighFew(search, isScoped ? allOf(isOfScope) : sql<SqlBool>`(${sql.join(given, sql` or `)})`)
    : await weighAll(search, open)
  const isWhole = isFew && weight.repos < limits.repos
  // Of a large repository the newest are enough only where nothing else is asked of them.
  const canGoByRepos = (isWhole || !isFew) && (isPlain(filter) || !weight.hasLarge)
  const byRepos = weight.repos * steps.toRepo + weight.issues * steps.inRepo
  const isByRepos =
    canGoByRepos &&
    ((isWhole && byRepos <= limits.soonDone) || (await isSoonerByRepos(search, byRepos, weight, limits.found)))
  const rows = isByRepos ? rowsByRepos(search, weight.hasLarge) : rowsBySource(search, inOrder(filter))
  return findCounted(search, rows, page)
}

/** Whether nothing is asked of issues but kind, state and times. */
const isOfTimes = ({ sinceUnix, beforeUnix, ...others }: IssueFilter): boolean =>
  (sinceUnix !== undefined || beforeUnix !== undefined) && isPlain(others)

/** Whether its page costs what it shows, however many rows it has. */
const isOrdered = ({ ways }: Source): boolean => ways.some((way) => way.isOrdered)

/**
 * Returns one page of the issues that a filter leaves in all repositories that the viewer may see, the newest first, and
 * their number. Rights and filters come first; the bound on what a search finds comes afterwards.
 */
export async function findEverywhere(
  db: Db,
  filter: SearchFilter,
  page: Pick<Page, 'limit' | 'offset'>,
  limits: SearchLimits = usual,
): Promise<FoundPlaces> {
  const { words } = filter
  if (words === undefined) return findIn(await searchOf(db, filter, page, limits), page)
  const search = await searchOf(db, filter, page, limits)
  const within = await findWordScope(search)
  const scoped = { ...search, filter: { ...filter, scope: { ...filter.scope, words: within } } }
  const [found, isExhausted] = await Promise.all([
    findIn(scoped, page),
    exceedsAllowance(db, words, { ...within, isPull: filter.isPull }),
  ])
  return isExhausted ? { ...found, bound: 'rows' } : found
}

/**
 * Returns where words are looked for: in all texts of the repositories that the search is limited to, else in those that
 * were given to the viewer, and in the newest texts of all.
 */
async function findWordScope({
  db,
  limits,
  isOfScope,
  readable,
}: Search): Promise<Pick<WordScope, 'repoIds' | 'newestOfAll'>> {
  const given = [...readable.values()].flatMap(({ isGiven }) => (isGiven ? [isGiven] : []))
  const isScoped = isOfScope.length > 0
  if (!isScoped && given.length === 0) return { newestOfAll: limits.texts }
  const isOne = isScoped ? allOf(isOfScope) : sql<SqlBool>`(${sql.join(given, sql` or `)})`
  const rows = await db
    .selectFrom('repo')
    .select('repo.id')
    .where(isOne)
    .limit(limits.exactRepos + 1)
    .execute()
  if (rows.length > limits.exactRepos) return { newestOfAll: limits.texts }
  const repoIds = rows.map(({ id }) => id)
  return isScoped ? { repoIds } : { repoIds, newestOfAll: limits.texts }
}

async function findIn(search: Search, page: Pick<Page, 'limit' | 'offset'>): Promise<FoundPlaces> {
  const { db, filter, limits } = search
  const sources = sourcesOf(db, filter)
  const only = sources.find(({ isWords }) => isWords) ?? (sources.length === 1 ? sources[0] : undefined)
  if (only && (only.isWords || isOrdered(only))) return findCounted(search, rowsBySource(search, only), page)
  const counts = await countSources(db, sources, limits.candidates)
  const rarest = counts.reduce((best, count, index) => (count < (counts[best] ?? 0) ? index : best), 0)
  const source = sources[rarest]
  if (source === undefined || (!isOrdered(source) && (counts[rarest] ?? 0) >= limits.candidates)) {
    return findBroad(search, page)
  }
  return findCounted(search, rowsBySource(search, source), page)
}
