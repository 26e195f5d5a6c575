import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { matchesText } from '../../db/portable.ts'
import { stepByStep } from '../../db/steps.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import type { SearchTerm } from './words.parse.ts'

/**
 * Row allowance of a search over all repositories: the newest texts with a word, and the newest comments, that it reads. The
 * search of some repositories reads all of theirs.
 */
export const usualAllowance = 50_000

/** Where words are looked for. */
export interface WordScope {
  /** In these repositories, exactly. */
  readonly repoIds?: readonly RepoId[] | undefined
  /** In the newest texts of all repositories, as many as these. */
  readonly newestOfAll?: number | undefined
  readonly isPull: readonly boolean[]
}

/** The places of one reading of the index: some repositories, or all. */
interface Place {
  readonly repoIds?: readonly RepoId[]
  readonly isPull: readonly boolean[]
  /** Number of texts that are read, the newest first; undefined: all. */
  readonly atMost?: number
}

/** Returns the readings of the index that a scope asks for. */
const placesOf = ({ repoIds, newestOfAll, isPull }: WordScope): Place[] => [
  ...(repoIds === undefined || repoIds.length === 0 ? [] : [{ repoIds, isPull }]),
  ...(newestOfAll === undefined ? [] : [{ isPull, atMost: newestOfAll }]),
]

/** How a search is written for the text index, for texts of all kinds at once. */
interface Written {
  readonly fts5: string
  readonly tsquery: RawBuilder<unknown>
}

/** The index has words for the place of a text, which no text can contain. */
const placeFts5 = ({ repoIds, isPull }: Place): string => {
  const parts = [
    ...(repoIds === undefined ? [] : [`place : (${repoIds.map((id) => `"r${id}"`).join(' OR ')})`]),
    ...(isPull.length === 1 ? [`place : "k${Number(isPull[0])}"`] : []),
  ]
  return parts.map((part) => `${part} AND `).join('')
}

function write(terms: readonly SearchTerm[], joint: 'AND' | 'OR', column: string, place: Place): Written {
  const { repoIds, isPull } = place
  const places = [
    ...(repoIds === undefined ? [] : [`(${repoIds.map((id) => `'~r${id}'`).join(' | ')})`]),
    ...(isPull.length === 1 ? [`'~k${Number(isPull[0])}'`] : []),
  ]
  const words = terms.map((term) => `(${term.tsquery})`).join(joint === 'AND' ? ' & ' : ' | ')
  return {
    fts5: `${placeFts5(place)}${column} : (${terms.map((term) => term.fts5).join(` ${joint} `)})`,
    tsquery: sql`(to_tsquery('simple', ${words})${
      places.length === 0 ? sql`` : sql` && ${places.join(' & ')}::tsquery`
    })`,
  }
}

type IdSet = RawBuilder<IssueId>
type WordTable = 'issue_words' | 'comment_words'

/** The texts of a table that hold the terms: `rowid` of each, the newest first where they are limited. */
function textsHolding(
  db: Db,
  table: WordTable,
  terms: readonly SearchTerm[],
  joint: 'AND' | 'OR',
  place: Place,
): RawBuilder<unknown> {
  const written = write(terms, joint, table === 'issue_words' ? '{title content}' : 'content', place)
  const isHeld = matchesText(db, table, written)
  const newest = place.atMost === undefined ? sql`` : sql`order by rowid desc limit ${sql.lit(place.atMost)}`
  return sql`select rowid from ${sql.table(table)} where ${isHeld} ${newest}`
}

/** The issues with a text, or with a comment, that holds all or any of the terms. */
const holding = (db: Db, terms: readonly SearchTerm[], joint: 'AND' | 'OR', scope: WordScope): IdSet[] =>
  placesOf(scope).map((place) => {
    const issues = textsHolding(db, 'issue_words', terms, joint, place)
    const comments = textsHolding(db, 'comment_words', terms, joint, place)
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

/** Issues that have the number that a term may be. */
const numbered = (db: Db, terms: readonly SearchTerm[], scope: WordScope): IdSet[] =>
  terms.flatMap(({ index }) =>
    index === undefined
      ? []
      : placesOf(scope).map(({ repoIds, atMost }) =>
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
  if (placesOf(scope).length === 0) return sql<IssueId>`(select id from issue where ${sql.lit(false)})`
  const anyOf = (each: readonly SearchTerm[]) => [...holding(db, each, 'OR', scope), ...numbered(db, each, scope)]
  const found =
    needed.length > 1
      ? // In one text, or one here and one there.
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

/** Returns that a row of `issue` holds none of the terms that a search refuses; undefined when it refuses none. */
export function holdsNoRefused(db: Db, terms: readonly SearchTerm[]): RawBuilder<SqlBool> | undefined {
  const refused = terms.filter(({ role }) => role === 'refused')
  if (refused.length === 0) return undefined
  const place: Place = { isPull: [] }
  const texts = textsHolding(db, 'issue_words', refused, 'OR', place)
  const comments = textsHolding(db, 'comment_words', refused, 'OR', place)
  const numbers = refused.flatMap(({ index }) => index ?? [])
  return sql<SqlBool>`(not exists (${texts} and issue_words.rowid = issue.id)
    and not exists (select 1 from comment where comment.issue_id = issue.id
      and exists (${comments} and comment_words.rowid = comment.id))
    ${numbers.length === 0 ? sql`` : sql`and issue."index" not in (${sql.join(numbers)})`})`
}
