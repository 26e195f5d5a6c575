import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { findReadable, type ReadableRepos } from '../../access/conditions/visible-repos.store.ts'
import { teamHoldsRepo } from '../../access/conditions/team-holds.store.ts'
import type { Db } from '../../db/database.ts'
import { orderedUnion } from '../../db/merged-page.ts'
import { withoutIndex } from '../../db/portable.ts'
import type { Schema } from '../../db/schema.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { conditions, wordScope, type IssuePage, type IssueFilter, type VisibleScope } from './issue-filter.store.ts'
import {
  allIssues,
  countSource,
  filterSource,
  issueTable,
  textHolders,
  wordSource,
  type KeyColumns,
  type Rows,
  type Source,
} from './search-source.store.ts'
import type { SearchTerm } from './words.parse.ts'
import { areCommon, exceedsAllowance, holdsSought, usualAllowance, type WordScope } from './words.store.ts'

type Condition = Expression<SqlBool>

/** Limits of a search. Tests use smaller ones. */
export interface SearchLimits {
  /** Issues that a search shows and counts, the newest. */
  readonly found: number
  /** Issues that are gathered and sorted. More are met soon enough in the order of creation. */
  readonly gathered: number
  /** Repositories whose issues are gathered. */
  readonly repos: number
  /** Repositories in which words are found exactly: those of the search's scope, or those that were given to the viewer. */
  readonly exactRepos: number
  /** Texts of a word that are read in all other repositories, the newest. */
  readonly texts: number
  /** The newest issues that are tested for words which more issues have than a search shows. */
  readonly tested: number
}

const usual: SearchLimits = {
  found: 5000,
  gathered: 20_000,
  repos: 1000,
  exactRepos: 500,
  texts: usualAllowance,
  tested: 500,
}

export type SearchFilter = IssueFilter & { readonly scope: VisibleScope }

interface Search {
  readonly db: Db
  readonly limits: SearchLimits
  readonly filter: SearchFilter
  /** The repositories in which the viewer may read each unit. */
  readonly readable: ReadonlyMap<'issues' | 'pulls', ReadableRepos>
  /** Conditions for a row of `repo`: the owner and the team of the search. */
  readonly ofScope: readonly Condition[]
}

/** A statement of issues: id, repository and creation. The names differ from those of tables, which an order would use. */
type KeyQuery = RawBuilder<{ key_id: IssueId; key_repo_id: RepoId; key_unix: number }>

const keyColumnsOf = ({ id, repo, created }: KeyColumns) =>
  sql`${sql.ref(id)} as key_id, ${sql.ref(repo)} as key_repo_id, ${sql.ref(created)} as key_unix`
const newestFirst = sql`order by key_unix desc, key_id desc`
const allOf = (each: readonly Condition[]) => sql<SqlBool>`(${sql.join(each, sql` and `)})`
const anyOf = (each: readonly Condition[]) => sql<SqlBool>`(${sql.join(each, sql` or `)})`
const unitOf = (isPull: boolean) => (isPull ? 'pulls' : 'issues')

/**
 * Returns one page of the issues that a filter leaves in all repositories that the viewer may read, the newest first, and
 * their number. Rights and filters come first; the bound of what a search finds comes afterwards. What finds the issues is
 * fixed:
 *
 * 1. words: the text index. The first pages of words that more issues have than a search shows are found as without words,
 *    and each issue is tested for the words;
 * 2. else the first of: asked for a review, assigned, mentioned, author, reviewed, labels, milestones, times. An index has
 *    some of them in the order of creation; of the others, few matches are gathered and sorted;
 * 3. else, or when there are many matches: the issues of few repositories, gathered and sorted;
 * 4. else all issues in the order of creation.
 */
export async function findEverywhere(
  db: Db,
  filter: SearchFilter,
  page: Pick<Page, 'limit' | 'offset'>,
  limits: SearchLimits = usual,
): Promise<IssuePage> {
  const search = await beginSearch(db, filter, limits)
  if (filter.words === undefined) return findPage(search, await keysOfFilter(search), page)
  const within = await findWordScope(search)
  const scoped = { ...search, filter: { ...filter, scope: { ...filter.scope, words: within } } }
  const source = wordSource(db, scoped.filter)
  const common = source && (await findByCommonWords(scoped, filter.words, page))
  if (common) return common
  const [found, isExhausted] = await Promise.all([
    findPage(scoped, source ? keysOfSource(scoped, source) : await keysOfFilter(scoped), page),
    exceedsAllowance(db, filter.words, { ...within, isPull: filter.isPull }),
  ])
  return isExhausted ? { ...found, bound: 'rows' } : found
}

/**
 * Returns a page of issues with words that more issues have than a search shows; undefined when fewer issues have them, or
 * when the newest issues rarely do.
 */
async function findByCommonWords(
  search: Search,
  words: readonly SearchTerm[],
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<IssuePage | undefined> {
  const { db, filter, limits } = search
  if (offset + limit > Math.min(limits.tested, limits.found)) return undefined
  const keys = await keysOfFilter(search)
  if (keys.length === 0) return undefined
  const first = (atMost: number) => sql`${merged(db, keys, atMost)} limit ${sql.lit(atMost)}`
  const withTexts = (texts: RawBuilder<unknown>) =>
    sql.join(unorderedKeys(search, textHolders(texts), restOf(search)), sql` union all `)
  const bounds = { counted: limits.found, tested: limits.tested }
  if (!(await areCommon(db, words, wordScope(filter), bounds, { withTexts, first, id: 'key_id' }))) return undefined
  // Both databases return the rows of a limited subquery in its order. To sort again would test every candidate.
  const { rows } = await sql<{ key_id: IssueId; key_repo_id: RepoId }>`
    select key_id, key_repo_id from (${first(limits.tested)}) as candidate
    where ${holdsSought(db, words, sql.ref('candidate.key_id'))} limit ${limit} offset ${offset}`.execute(db)
  if (rows.length < limit) return undefined
  return {
    keys: rows.map(({ key_id, key_repo_id }) => ({ id: key_id, repo_id: key_repo_id })),
    total: limits.found,
    bound: 'rows',
  }
}

async function beginSearch(db: Db, filter: SearchFilter, limits: SearchLimits): Promise<Search> {
  const { viewer, ownerId, teamId } = filter.scope
  return {
    db,
    limits,
    filter,
    readable: await findReadable(db, viewer, filter.isPull.map(unitOf)),
    ofScope: [
      ...(ownerId === undefined ? [] : [sql<SqlBool>`repo.owner_id = ${ownerId}`]),
      ...(teamId === undefined
        ? []
        : [sql<SqlBool>`exists (select 1 from team where team.id = ${teamId} and ${teamHoldsRepo('repo.id')})`]),
    ],
  }
}

async function keysOfFilter(search: Search): Promise<KeyQuery[]> {
  const { db, filter, limits } = search
  const source = filterSource(db, filter)
  const isOrdered = source?.parts.some((part) => part.isOrdered) === true
  if (source && (isOrdered || (await countSource(db, source, limits.gathered)) < limits.gathered)) {
    return keysOfSource(search, source)
  }
  return (await hasFewIssues(search)) ? keysOfRepos(search) : keysOfSource(search, allIssues(filter))
}

/** Returns the condition for a row of `repo` in which the viewer may read one of the kinds that the search asks for. */
const inReach = ({ readable, ofScope }: Search): Condition =>
  allOf([anyOf([...readable.values()].map(({ isReadable }) => isReadable)), ...ofScope])

/** Returns whether the repositories in reach are few and have few issues. */
async function hasFewIssues(search: Search): Promise<boolean> {
  const { db, limits } = search
  const { rows } = await sql<{ repos: number; issues: number | string | null }>`
    select count(*) as repos, sum(issues) as issues from (
      select num_issues + num_pulls as issues from repo
      where ${inReach(search)} limit ${sql.lit(limits.repos + 1)}) as few`.execute(db)
  const [few] = rows
  return (few?.repos ?? 0) <= limits.repos && Number(few?.issues ?? 0) <= limits.gathered
}

const readableOf = ({ readable }: Search, isPull: boolean): ReadableRepos =>
  readable.get(unitOf(isPull)) as ReadableRepos

/** Returns the condition that a row of `repo` has the unit of issues, or of pull requests, and that the viewer may read it. */
const isShown = (search: Search, isPull: boolean): Condition =>
  allOf([
    // A value, for which PostgreSQL reads the index once for each row.
    sql<SqlBool>`(select 1 from repo_unit where repo_unit.repo_id = repo.id
      and repo_unit.unit = ${sql.lit(unitOf(isPull))} limit 1) is not null`,
    readableOf(search, isPull).isReadable,
  ])

/** Returns the conditions of the filter that a source does not serve. */
const restOf = ({ db, filter }: Search, serves: Source['serves'] = []): Condition[] =>
  conditions(
    db,
    expressionBuilder<Schema, 'issue'>(),
    { ...filter, ...Object.fromEntries(serves.map((name) => [name, undefined])) },
    'order',
  )

const statesOf = ({ isClosed }: SearchFilter): readonly boolean[] =>
  isClosed === undefined ? [false, true] : [isClosed]

/** Returns the issues of a source. An ordered part is read once for each kind and state, which an index has in the order. */
const keysOfSource = (search: Search, { parts, serves }: Source): KeyQuery[] =>
  parts.flatMap((part) => (part.isOrdered ? orderedKeys : unorderedKeys)(search, part, restOf(search, serves)))

const kindsOf = ({ filter }: Search, { isPullOnly = false }: Rows): readonly boolean[] =>
  filter.isPull.filter((isPull) => isPull || !isPullOnly)

const orderedKeys = (search: Search, rows: Rows, rest: readonly Condition[]): KeyQuery[] =>
  kindsOf(search, rows).flatMap((isPull) =>
    statesOf(search.filter).map((isClosed) =>
      select(search, rows, rest, [
        ...(rows.isPullOnly ? [] : [sql<SqlBool>`${sql.ref(rows.columns.isPull)} = ${sql.lit(isPull)}`]),
        sql<SqlBool>`${sql.ref(rows.columns.isClosed)} = ${sql.lit(isClosed)}`,
        isShown(search, isPull),
      ]),
    ),
  )

function unorderedKeys(search: Search, rows: Rows, rest: readonly Condition[]): KeyQuery[] {
  const { isClosed } = search.filter
  // SQLite would use an index of these columns instead of the source.
  const column = (name: string) => withoutIndex<boolean>(search.db, name)
  const kinds = kindsOf(search, rows).map((isPull) =>
    rows.isPullOnly
      ? isShown(search, isPull)
      : allOf([sql<SqlBool>`${column(rows.columns.isPull)} = ${sql.lit(isPull)}`, isShown(search, isPull)]),
  )
  if (kinds.length === 0) return []
  const ofState = isClosed === undefined ? [] : [sql<SqlBool>`${column(rows.columns.isClosed)} = ${sql.lit(isClosed)}`]
  return [select(search, rows, rest, [...ofState, anyOf(kinds)])]
}

function select(
  { ofScope }: Search,
  { from, where, columns, hasIssue, mayRepeat }: Rows,
  rest: readonly Condition[],
  ofPart: readonly Condition[],
): KeyQuery {
  const needsIssue = rest.length > 0 && !hasIssue
  const all = [
    sql<SqlBool>`repo.id = ${sql.ref(columns.repo)}`,
    ...where,
    ...ofPart,
    ...ofScope,
    ...(needsIssue ? [sql<SqlBool>`issue.id = ${sql.ref(columns.id)}`] : []),
    ...rest,
  ]
  return sql`select ${mayRepeat ? sql`distinct ` : sql``}${keyColumnsOf(columns)}
    from ${from} cross join repo${needsIssue ? sql` cross join issue` : sql``} where ${allOf(all)}`
}

/** Returns the issues of the repositories in reach. */
const keysOfRepos = (search: Search): KeyQuery[] =>
  search.filter.isPull.flatMap((isPull) =>
    statesOf(search.filter).map((isClosed) => {
      const all = [
        ...search.ofScope,
        isShown(search, isPull),
        sql<SqlBool>`issue.repo_id = repo.id`,
        sql<SqlBool>`issue.is_pull = ${sql.lit(isPull)}`,
        sql<SqlBool>`issue.is_closed = ${sql.lit(isClosed)}`,
        ...restOf(search),
      ]
      return sql`select ${keyColumnsOf(issueTable.columns)} from repo cross join issue where ${allOf(all)}`
    }),
  )

/** Merges statements, the newest issues first. */
const merged = (db: Db, statements: readonly KeyQuery[], atMost: number): KeyQuery =>
  sql`${orderedUnion(db, statements, sql`${newestFirst} limit ${sql.lit(atMost)}`)} ${newestFirst}`

/** Returns the page and the number of issues. One statement reads the newest issues for both. */
async function findPage(
  { db, limits }: Search,
  statements: readonly KeyQuery[],
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<IssuePage> {
  if (statements.length === 0) return { keys: [], total: 0 }
  const size = Math.max(0, Math.min(limit, limits.found - offset))
  // Both databases return the rows of a materialized statement in their order.
  const found = await sql<{ key_id: IssueId | null; key_repo_id: RepoId; total: number }>`
    with found as materialized (${merged(db, statements, limits.found + 1)} limit ${sql.lit(limits.found + 1)})
    select page.key_id, page.key_repo_id, counted.total
    from (select count(*) as total from found) as counted
      left join (select key_id, key_repo_id from found limit ${size} offset ${offset}) as page on 1 = 1`.execute(db)
  const keys = found.rows.flatMap(({ key_id, key_repo_id }) =>
    key_id === null ? [] : [{ id: key_id, repo_id: key_repo_id }],
  )
  const total = found.rows[0]?.total ?? 0
  return total > limits.found ? { keys, total: limits.found, bound: 'rows' } : { keys, total }
}

/**
 * Returns where words are searched: in all texts of the repositories of the scope. Without a scope: in all texts of the
 * repositories that were given to the viewer, and in the newest texts of all others.
 */
async function findWordScope({
  db,
  limits,
  ofScope,
  readable,
}: Search): Promise<Pick<WordScope, 'repoIds' | 'newestOfAll'>> {
  const given = [...readable.values()].flatMap(({ isGiven }) => (isGiven ? [isGiven] : []))
  const isScoped = ofScope.length > 0
  if (!isScoped && given.length === 0) return { newestOfAll: limits.texts }
  const rows = await db
    .selectFrom('repo')
    .select('repo.id')
    .where(isScoped ? allOf(ofScope) : anyOf(given))
    .limit(limits.exactRepos + 1)
    .execute()
  if (rows.length > limits.exactRepos) return { newestOfAll: limits.texts }
  const repoIds = rows.map(({ id }) => id)
  return isScoped ? { repoIds } : { repoIds, newestOfAll: limits.texts }
}
