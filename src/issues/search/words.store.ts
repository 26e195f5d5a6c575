import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { looksUpTexts, matchesText } from '../../db/portable.ts'
import { stepByStep } from '../../db/steps.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import type { SearchTerm } from './words.parse.ts'

/**
 * Row allowance of a search over all repositories: the newest texts with a word, and the newest comments, that it reads. The
 * search of some repositories reads all of theirs.
 */
export const usualAllowance = 50_000

/**
 * Texts that are read for each issue to be counted, where words are common. A filter usually leaves at least a quarter of
 * them: the closed issues.
 */
const textsPerIssue = 5

/** Candidates of a list that are looked up for each issue to be counted. */
const candidatesPerIssue = 2

/** The texts that a word search covers. */
export interface WordScope {
  /** Every text of these repositories. */
  readonly repoIds?: readonly RepoId[] | undefined
  /** This number of the newest texts of all repositories. */
  readonly newestOfAll?: number | undefined
  readonly isPull: readonly boolean[]
}

/** One read of a text index. */
interface TextIndexRead {
  readonly repoIds?: readonly RepoId[]
  readonly isPull: readonly boolean[]
  /** Number of texts to read, the newest first; undefined reads all. */
  readonly atMost?: number
}

/** Returns the reads of the text index that cover a scope. */
const textIndexReads = ({ repoIds, newestOfAll, isPull }: WordScope): TextIndexRead[] => [
  ...(repoIds === undefined || repoIds.length === 0 ? [] : [{ repoIds, isPull }]),
  ...(newestOfAll === undefined ? [] : [{ isPull, atMost: newestOfAll }]),
]

/** A search in the query language of each database. */
interface TextQuery {
  readonly fts5: string
  readonly tsquery: RawBuilder<unknown>
}

/** Returns the FTS5 condition on repository and kind, which the index contains as words that no text can contain. */
const placeFts5 = ({ repoIds, isPull }: TextIndexRead): string => {
  const parts = [
    ...(repoIds === undefined ? [] : [`place : (${repoIds.map((id) => `"r${id}"`).join(' OR ')})`]),
    ...(isPull.length === 1 ? [`place : "k${Number(isPull[0])}"`] : []),
  ]
  return parts.map((part) => `${part} AND `).join('')
}

function write(terms: readonly SearchTerm[], joint: 'AND' | 'OR', column: string, index: TextIndexRead): TextQuery {
  const { repoIds, isPull } = index
  const conditions = [
    ...(repoIds === undefined ? [] : [`(${repoIds.map((id) => `'~r${id}'`).join(' | ')})`]),
    ...(isPull.length === 1 ? [`'~k${Number(isPull[0])}'`] : []),
  ]
  const words = terms.map((term) => `(${term.tsquery})`).join(joint === 'AND' ? ' & ' : ' | ')
  return {
    fts5: `${placeFts5(index)}${column} : (${terms.map((term) => `(${term.fts5})`).join(` ${joint} `)})`,
    tsquery: sql`(to_tsquery('simple', ${words})${
      conditions.length === 0 ? sql`` : sql` && ${conditions.join(' & ')}::tsquery`
    })`,
  }
}

type IdSet = RawBuilder<IssueId>
type WordTable = 'issue_words' | 'comment_words'

/** Returns a query of the `rowid` of each text that holds the terms, the newest first when the read is limited. */
function textsHolding(
  db: Db,
  table: WordTable,
  terms: readonly SearchTerm[],
  joint: 'AND' | 'OR',
  index: TextIndexRead,
): RawBuilder<unknown> {
  const written = write(terms, joint, table === 'issue_words' ? '{title content}' : 'content', index)
  const isHeld = matchesText(db, table, written)
  const newest = index.atMost === undefined ? sql`` : sql`order by rowid desc limit ${sql.lit(index.atMost)}`
  return sql`select rowid from ${sql.table(table)} where ${isHeld} ${newest}`
}

/** Returns a query for each read of the scope: the issues whose text or whose comment holds all or any of the terms. */
const holding = (db: Db, terms: readonly SearchTerm[], joint: 'AND' | 'OR', scope: WordScope): IdSet[] =>
  textIndexReads(scope).map((index) => {
    const issues = textsHolding(db, 'issue_words', terms, joint, index)
    const comments = textsHolding(db, 'comment_words', terms, joint, index)
    const ofComments = sql`select comment.issue_id as id ${stepByStep(
      db,
      { table: 'said', rows: sql`(${comments})`, where: sql<SqlBool>`1 = 1` },
      { table: 'comment', where: sql<SqlBool>`comment.id = said.rowid` },
    )}`
    return sql`select rowid as id from (${issues}) as texts union ${ofComments}`
  })

/**
 * Returns whether the row allowance of a search is exhausted: more texts hold one of its terms than it reads.
 */
export async function exceedsAllowance(db: Db, terms: readonly SearchTerm[], scope: WordScope): Promise<boolean> {
  const { newestOfAll, isPull } = scope
  const found = terms.filter(({ role }) => role !== 'refused')
  if (newestOfAll === undefined || found.length === 0) return false
  const needed = found.filter(({ role }) => role === 'needed')
  const groups = needed.length > 0 ? needed.map((term) => [term]) : [found]
  const isBeyond = (table: WordTable, terms: readonly SearchTerm[]) =>
    sql<SqlBool>`exists (select 1 from (${textsHolding(db, table, terms, 'OR', { isPull })}
      limit 1 offset ${sql.lit(newestOfAll)}) as beyond)`
  const conditions = groups.flatMap((terms) => [isBeyond('issue_words', terms), isBeyond('comment_words', terms)])
  const { rows } = await sql<{ is_beyond: number }>`
    select case when ${sql.join(conditions, sql` or `)} then 1 else 0 end as is_beyond`.execute(db)
  return rows[0]?.is_beyond === 1
}

/** Returns queries of the issues whose number a term names. */
const numbered = (db: Db, terms: readonly SearchTerm[], scope: WordScope): IdSet[] =>
  terms.flatMap(({ index }) =>
    index === undefined
      ? []
      : textIndexReads(scope).map(({ repoIds, atMost }) =>
          repoIds
            ? sql<IssueId>`select id from issue where "index" = ${index} and repo_id in ${idList(db, idListText(repoIds))}`
            : sql<IssueId>`select id from (select id from issue where "index" = ${index}
                order by id desc limit ${sql.lit(atMost)}) as numbered`,
        ),
  )

const joined = (sets: readonly IdSet[], by: 'union' | 'intersect'): IdSet =>
  sql`select id from (${sql.join(
    sets.map((set, index) => sql`select id from (${set}) as ${sql.ref(`set_${index}`)}`),
    sql.raw(` ${by} `),
  )}) as ${sql.ref(by === 'union' ? 'any_set' : 'all_sets')}`

/**
 * Returns the issues that hold what a search looks for in title, text or comments, as a set of ids for `in`: all needed
 * terms, or one of the others when none is needed. A term that is a number also finds the issue that has it.
 * @returns undefined when the search only refuses
 */
export function foundByWords(db: Db, terms: readonly SearchTerm[], scope: WordScope): Expression<IssueId> | undefined {
  const of = (role: SearchTerm['role']) => terms.filter((term) => term.role === role)
  const [needed, offered] = [of('needed'), of('offered')]
  if (needed.length + offered.length === 0) return undefined
  if (textIndexReads(scope).length === 0) return sql<IssueId>`(select id from issue where ${sql.lit(false)})`
  const anyOf = (each: readonly SearchTerm[]) => [...holding(db, each, 'OR', scope), ...numbered(db, each, scope)]
  const found =
    needed.length > 1
      ? // All terms in one text, or spread over the texts of one issue.
        [
          ...holding(db, needed, 'AND', scope),
          joined(
            needed.map((term) => joined(anyOf([term]), 'union')),
            'intersect',
          ),
        ]
      : anyOf(needed.length === 1 ? needed : offered)
  return sql<IssueId>`(${joined(found, 'union')})`
}

/**
 * Returns that an issue holds one of the terms in title, text or comments, or has a number that one of them names. The
 * condition looks up each row in the text index.
 */
function holdsOne(db: Db, terms: readonly SearchTerm[], issueId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const index: TextIndexRead = { isPull: [] }
  const texts = textsHolding(db, 'issue_words', terms, 'OR', index)
  const comments = textsHolding(db, 'comment_words', terms, 'OR', index)
  const numbers = terms.flatMap(({ index }) => index ?? [])
  const hasNumber = sql`or exists (select 1 from issue as numbered where numbered.id = ${issueId}
    and numbered."index" in (${sql.join(numbers)}))`
  return sql<SqlBool>`(exists (${texts} and issue_words.rowid = ${issueId})
    or exists (select 1 from comment where comment.issue_id = ${issueId}
      and exists (${comments} and comment_words.rowid = comment.id))
    ${numbers.length === 0 ? sql`` : hasNumber})`
}

/** Returns that a row of `issue` holds none of the terms that a search refuses; undefined when it refuses none. */
export function holdsNoRefused(db: Db, terms: readonly SearchTerm[]): RawBuilder<SqlBool> | undefined {
  const refused = terms.filter(({ role }) => role === 'refused')
  return refused.length === 0 ? undefined : sql<SqlBool>`not ${holdsOne(db, refused, sql.ref('issue.id'))}`
}

/** Returns the required terms; without required terms, the optional ones, and an issue needs one of them. */
function soughtOf(terms: readonly SearchTerm[]): {
  readonly terms: readonly SearchTerm[]
  readonly joint: 'AND' | 'OR'
} {
  const needed = terms.filter(({ role }) => role === 'needed')
  if (needed.length > 0) return { terms: needed, joint: 'AND' }
  return { terms: terms.filter(({ role }) => role === 'offered'), joint: 'OR' }
}

/** Returns that an issue is one of those that `foundByWords` returns, as a condition that looks up each row. */
export function holdsSought(db: Db, terms: readonly SearchTerm[], issueId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const sought = soughtOf(terms)
  if (sought.joint === 'OR') return holdsOne(db, sought.terms, issueId)
  return sql<SqlBool>`(${sql.join(
    sought.terms.map((term) => holdsOne(db, [term], issueId)),
    sql` and `,
  )})`
}

/**
 * Returns a query of the ids of issues whose own text holds what a search looks for, as `rowid`: the newest ones. Comments
 * and numbers may find further issues.
 */
function textsSought(
  db: Db,
  terms: readonly SearchTerm[],
  { repoIds, newestOfAll, isPull }: WordScope,
  atMost: number,
): RawBuilder<unknown> {
  const sought = soughtOf(terms)
  const index = { isPull, atMost, ...(newestOfAll === undefined && repoIds?.length ? { repoIds } : {}) }
  return textsHolding(db, 'issue_words', sought.terms, sought.joint, index)
}

/** Limits that decide whether words are common. */
export interface CommonWordLimits {
  /** Words are common when more issues than this hold them. */
  readonly counted: number
  /** Candidates of a page that are tested for the words. */
  readonly tested: number
}

/**
 * Returns whether more issues than are counted hold what a search looks for, or false when finding out would cost as much as
 * the search.
 * @param withTexts the issues of the list whose ids the given query returns as `rowid`; a statement without order
 * @param first the first issues of the list, with their id in the given column
 */
export async function areCommon(
  db: Db,
  terms: readonly SearchTerm[],
  scope: WordScope,
  { counted, tested }: CommonWordLimits,
  { withTexts, first, id }: CommonWordQueries,
): Promise<boolean> {
  if (!looksUpTexts(db)) {
    return (
      (await countUpTo(db, withTexts(textsSought(db, terms, scope, textsPerIssue * (counted + 1))), counted + 1)) >
      counted
    )
  }
  const countHolders = (candidates: number) => {
    const isHolder = holdsSought(db, terms, sql.ref(`candidate.${id}`))
    const holders = sql`select 1 as one from (${first(candidates)}) as candidate where ${isHolder}`
    return countUpTo(db, holders, counted + 1)
  }
  const among = await countHolders(tested)
  if (among > counted) return true
  return among * candidatesPerIssue >= tested && (await countHolders(candidatesPerIssue * (counted + 1))) > counted
}

/** The queries by which a list counts issues with common words. */
export interface CommonWordQueries {
  readonly withTexts: (texts: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly first: (atMost: number) => Expression<unknown>
  readonly id: 'id' | 'key_id'
}

async function countUpTo(db: Db, rows: RawBuilder<unknown>, atMost: number): Promise<number> {
  const counted = await sql<{ total: number | string }>`select count(*) as total from (
    ${rows} limit ${sql.lit(atMost)}) as known`.execute(db)
  return Number(counted.rows[0]?.total ?? 0)
}
