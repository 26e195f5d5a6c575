import { sql, type Expression, type RawBuilder } from 'kysely'
import type { Db } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'

import type { IssueId, RepoId } from '../lib/ids.ts'
import type { SearchTerm } from './search-words.parse.ts'

/** Texts that one search goes through at most, the newest first; words that more have are found in these. */
const maxTexts = 2000
/** Among so many of the newest texts a word that most have is looked for before the index is asked who has it. */
const newestTexts = 6000

/** Where words are looked for. */
export interface WordScope {
  readonly repoId?: RepoId
  readonly isPull: readonly boolean[]
}

/** How a search is written for the text index, for texts of all kinds at once. */
interface Written {
  readonly fts5: string
  readonly tsquery: RawBuilder<unknown>
}

/** The words that the index has of where a text is: no text can hold them. */
const placeFts5 = ({ repoId, isPull }: WordScope): string => {
  const parts = [
    ...(repoId === undefined ? [] : [`place : "r${repoId}"`]),
    ...(isPull.length === 1 ? [`place : "k${Number(isPull[0])}"`] : []),
  ]
  return parts.map((part) => `${part} AND `).join('')
}

function write(terms: readonly SearchTerm[], joint: 'AND' | 'OR', column: string, scope: WordScope): Written {
  const { repoId, isPull } = scope
  const place = [
    ...(repoId === undefined ? [] : [`'~r${repoId}'`]),
    ...(isPull.length === 1 ? [`'~k${Number(isPull[0])}'`] : []),
  ]
  const words = terms.map((term) => `(${term.tsquery})`).join(joint === 'AND' ? ' & ' : ' | ')
  return {
    fts5: `${placeFts5(scope)}${column} : (${terms.map((term) => term.fts5).join(` ${joint} `)})`,
    tsquery: sql`(to_tsquery('simple', ${words})${
      place.length === 0 ? sql`` : sql` && ${place.join(' & ')}::tsquery`
    })`,
  }
}

type IdSet = RawBuilder<IssueId>

/** The newest issues with a text, or with a comment, in which all or any of the terms are. */
function holding(db: Db, terms: readonly SearchTerm[], joint: 'AND' | 'OR', scope: WordScope): IdSet {
  const ofIssues = write(terms, joint, '{title content}', scope)
  const ofComments = write(terms, joint, 'content', scope)
  const most = sql.lit(maxTexts)
  if (databaseKind(db) === 'postgres') {
    const { repoId } = scope
    const ofRepo = repoId === undefined ? undefined : sql`select id as rowid from issue where repo_id = ${repoId}`
    const comments = newestOf('comment_words', ofComments.tsquery, undefined)
    // Each comment is looked up: PostgreSQL would go through all there are.
    return sql`select id from (${newestOf('issue_words', ofIssues.tsquery, ofRepo)}) as texts
      union select below.issue_id as id from (${comments}) as said
        cross join lateral (select issue_id from comment where comment.id = said.id offset 0) as below`
  }
  return sql`select id from (
      select rowid as id from issue_words where issue_words match ${ofIssues.fts5} order by rowid desc limit ${most}) as texts
    union select issue_id as id from comment where id in (
      select rowid from comment_words where comment_words match ${ofComments.fts5} order by rowid desc limit ${most})`
}

/**
 * The newest texts that PostgreSQL finds. Its index gives all that have a word, in no order: of one that most have, the newest
 * are found by looking at texts from the end, and the index is asked only where these are too few.
 * @param ofRepo the rows of one repository, whose newest may be old beside those of others
 */
function newestOf(
  table: 'issue_words' | 'comment_words',
  isIt: RawBuilder<unknown>,
  ofRepo: RawBuilder<unknown> | undefined,
): RawBuilder<unknown> {
  const [words, most, newest] = [sql.table(table), sql.lit(maxTexts), sql.lit(newestTexts)]
  const near = ofRepo
    ? sql`(${ofRepo} order by created_unix desc, id desc limit ${newest}) as newest cross join lateral (
        select words from ${words} where ${words}.rowid = newest.rowid and words @@ ${isIt} offset 0) as text`
    : sql`(select rowid, words from ${words} order by rowid desc limit ${newest}) as newest where words @@ ${isIt}`
  return sql`with near as materialized (select newest.rowid as id from ${near} limit ${most}),
      found as (select count(*) as total from near)
    select id from near where (select total from found) = ${most}
    union all select id from (
      select rowid as id from ${words} where words @@ ${isIt} order by rowid + 0 desc limit ${most}) as all_texts
    where (select total from found) < ${most}`
}

/** Issues that have the number that a term may be. */
const numbered = (terms: readonly SearchTerm[], { repoId }: WordScope): IdSet[] =>
  terms.flatMap(({ index }) =>
    index === undefined
      ? []
      : [
          repoId === undefined
            ? sql<IssueId>`select id from (select id from issue where "index" = ${index}
                order by id desc limit ${sql.lit(maxTexts)}) as numbered`
            : sql<IssueId>`select id from issue where "index" = ${index} and repo_id = ${repoId}`,
        ],
  )

const joined = (sets: readonly IdSet[], by: 'union' | 'intersect'): IdSet =>
  sql`select id from (${sql.join(
    sets.map((set, index) => sql`select id from (${set}) as ${sql.ref(`set_${index}`)}`),
    sql.raw(` ${by} `),
  )}) as ${sql.ref(by === 'union' ? 'any_set' : 'all_sets')}`

/** What a search finds and what it refuses, as sets of ids for `in`; undefined: it says nothing of that. */
export interface WordSets {
  readonly found: Expression<IssueId> | undefined
  readonly refused: Expression<IssueId> | undefined
}

/**
 * Issues that hold what is looked for in title, text or comments: all needed terms, and one of the others unless there are
 * needed ones. A term that is a number also finds the issue that has it.
 */
export function wordSets(db: Db, terms: readonly SearchTerm[], scope: WordScope): WordSets {
  const of = (role: SearchTerm['role']) => terms.filter((term) => term.role === role)
  const [needed, offered, refused] = [of('needed'), of('offered'), of('refused')]
  const anyOf = (each: readonly SearchTerm[]) => [holding(db, each, 'OR', scope), ...numbered(each, scope)]
  const found =
    needed.length > 1
      ? // In one text, or one here and one there.
        [
          holding(db, needed, 'AND', scope),
          joined(
            needed.map((term) => joined(anyOf([term]), 'union')),
            'intersect',
          ),
        ]
      : anyOf(needed.length === 1 ? needed : offered)
  const set = (sets: readonly IdSet[]) => sql<IssueId>`(${joined(sets, 'union')})`
  return {
    found: needed.length + offered.length > 0 ? set(found) : undefined,
    refused: refused.length > 0 ? set(anyOf(refused)) : undefined,
  }
}
