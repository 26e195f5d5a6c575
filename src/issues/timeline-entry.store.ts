import { sql, type SqlBool } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { mergedPage } from '../db/merged-page.ts'
import { withoutIndex } from '../db/portable.ts'
import { countRows } from '../db/rows.ts'
import type { CommentRow, CommentType, IssueRow, NewCommentRow } from '../db/tables/issues.ts'
import { pluck } from '../lib/pluck.ts'
import type { CommentId, IssueId, RepoId, UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import type { Attribution } from './attribution.ts'
import { furtherWords } from './search/further-words.parse.ts'

/** A new timeline entry; omitted columns are empty. */
export type NewTimelineEntry = { readonly type: CommentType } & Partial<
  Omit<NewCommentRow, 'id' | 'issue_id' | 'type' | 'poster_id' | 'created_unix' | 'updated_unix'>
>

const noFields = {
  content: '',
  label_id: null,
  milestone_id: null,
  old_milestone_id: null,
  assignee_id: null,
  assignee_team_id: null,
  removed_assignee: false,
  old_title: '',
  new_title: '',
  old_ref: '',
  new_ref: '',
  dependent_issue_id: null,
  time_id: null,
  ref_repo_id: null,
  ref_issue_id: null,
  ref_comment_id: null,
  ref_action: 'none',
  commit_sha: '',
  review_id: null,
  tree_path: '',
  line: 0,
  first_line: 0,
  patch: '',
  line_oid: '',
  is_invalidated: false,
  resolver_id: null,
} as const

/** A row has 31 columns; a statement has at most 32,766 parameters on SQLite. */
const maxRowsPerStatement = 500

/** Inserts timeline entries in the given order, with the author and time of the change. */
export async function insertTimelineEntries(
  tx: Tx,
  by: Attribution,
  entries: readonly (NewTimelineEntry & { readonly issue_id: IssueId })[],
): Promise<CommentRow[]> {
  const rows: CommentRow[] = []
  const values = entries.map((entry) => ({
    ...noFields,
    ...entry,
    further_words: furtherWords(entry.content ?? ''),
    poster_id: by.doerId,
    created_unix: by.atUnix,
    updated_unix: by.atUnix,
  }))
  for (let start = 0; start < values.length; start += maxRowsPerStatement) {
    const part = values.slice(start, start + maxRowsPerStatement)
    rows.push(...(await tx.insertInto('comment').values(part).returningAll().execute()))
  }
  return rows.sort((one, other) => one.id - other.id)
}

export const insertTimelineEntry = async (
  tx: Tx,
  by: Attribution,
  issueId: IssueId,
  entry: NewTimelineEntry,
): Promise<CommentRow> => (await insertTimelineEntries(tx, by, [{ ...entry, issue_id: issueId }]))[0] as CommentRow

export const findComment = (db: Db | Tx, id: CommentId): Promise<CommentRow | undefined> =>
  db.selectFrom('comment').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns a comment of a repository and its issue. */
export async function findCommentIn(
  db: Db,
  repoId: RepoId,
  id: CommentId,
): Promise<{ comment: CommentRow; issue: IssueRow } | undefined> {
  const comment = await findComment(db, id)
  if (!comment) return undefined
  const issue = await db
    .selectFrom('issue')
    .selectAll()
    .where('id', '=', comment.issue_id)
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return issue ? { comment, issue } : undefined
}

export async function loadComments(
  db: Db,
  ids: Iterable<CommentId | null>,
): Promise<ReadonlyMap<CommentId, CommentRow>> {
  const wanted = [...new Set(ids)].filter((id): id is CommentId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('comment').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Range of the time of last change; both ends belong to it. */
export interface ChangedBetween {
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
}

/** Returns the timeline of an issue without line comments, or only its comments, by time. */
export function listEntries(
  db: Db,
  issueId: IssueId,
  options: ChangedBetween & { readonly onlyComments?: boolean; readonly page: Page },
): Promise<CommentRow[]> {
  let query = db.selectFrom('comment').selectAll().where('issue_id', '=', issueId)
  query = options.onlyComments ? query.where('type', '=', sql.lit('comment')) : query.where('type', '!=', 'code')
  if (options.sinceUnix !== undefined) query = query.where('updated_unix', '>=', options.sinceUnix)
  if (options.beforeUnix !== undefined) query = query.where('updated_unix', '<=', options.beforeUnix)
  return query.orderBy('created_unix').orderBy('id').limit(options.page.limit).offset(options.page.offset).execute()
}

/** Returns the number of comments of an issue that were last changed within a range. */
export function countComments(db: Db, issueId: IssueId, { sinceUnix, beforeUnix }: ChangedBetween): Promise<number> {
  let query = db.selectFrom('comment').where('issue_id', '=', issueId).where('type', '=', sql.lit('comment'))
  if (sinceUnix !== undefined) query = query.where('updated_unix', '>=', sinceUnix)
  if (beforeUnix !== undefined) query = query.where('updated_unix', '<=', beforeUnix)
  return countRows(query)
}

/** Position of an entry in a timeline. */
export type EntryKey = Pick<CommentRow, 'created_unix' | 'id'>

/** Returns the last entries of a timeline before a position, or at its end, in their order; without line comments. */
export async function listLastEntries(
  db: Db,
  issueId: IssueId,
  before: EntryKey | undefined,
  limit: number,
): Promise<CommentRow[]> {
  let query = db.selectFrom('comment').selectAll().where('issue_id', '=', issueId).where('type', '!=', 'code')
  if (before !== undefined) {
    query = query.where(sql<SqlBool>`(created_unix, id) < (${before.created_unix}, ${before.id})`)
  }
  return (await query.orderBy('created_unix', 'desc').orderBy('id', 'desc').limit(limit).execute()).toReversed()
}

/** Returns the number of entries of a timeline before a position, without line comments. */
export const countEntriesBefore = (db: Db, issueId: IssueId, before: EntryKey): Promise<number> =>
  countRows(
    db
      .selectFrom('comment')
      .where('issue_id', '=', issueId)
      .where('type', '!=', 'code')
      .where(sql<SqlBool>`(created_unix, id) < (${before.created_unix}, ${before.id})`),
  )

/**
 * Returns the comments of one kind.
 * @param isByTime true: uses the index by time of last change; false: the index by time of creation
 */
function commentsOfRepo(
  db: Db,
  repoId: RepoId,
  isPull: boolean,
  { sinceUnix, beforeUnix }: ChangedBetween,
  isByTime: boolean,
) {
  const updated = isByTime ? sql`comment.updated_unix` : withoutIndex(db, 'comment.updated_unix')
  return db
    .selectFrom('comment')
    .where((where) =>
      where.and([
        where('repo_id', '=', repoId),
        sql<SqlBool>`comment.is_of_pull = ${sql.lit(isPull)}`,
        sql<SqlBool>`comment.type = 'comment'`,
        ...(sinceUnix === undefined ? [] : [sql<SqlBool>`${updated} >= ${sinceUnix}`]),
        ...(beforeUnix === undefined ? [] : [sql<SqlBool>`${updated} <= ${beforeUnix}`]),
      ]),
    )
}

/** Most comments in a time range that are sorted. For more, the index by time of creation finds a page fast enough. */
const sortedAtMost = 2000
/** Most comments that are counted; the answer of a longer list says that the count is bounded. */
const countedAtMost = 10_000

/**
 * Returns one page of the comments of a repository, oldest first, and their number.
 * @param isPull the kinds: issues (false), pull requests (true) or both
 */
export async function listRepoComments(
  db: Db,
  repoId: RepoId,
  isPull: readonly boolean[],
  between: ChangedBetween,
  page: Page,
): Promise<{ readonly rows: CommentRow[]; readonly total: number; readonly bound?: Bound }> {
  const hasTimes = between.sinceUnix !== undefined || between.beforeUnix !== undefined
  const counts = await Promise.all(isPull.map((each) => countRepoComments(db, repoId, each, between, hasTimes)))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const isSorted = hasTimes && total <= sortedAtMost
  const order = (['created_unix', 'id'] as const).map((name) => ({ name, direction: 'asc' }) as const)
  const queries = isPull.map((each) =>
    commentsOfRepo(db, repoId, each, between, isSorted).select([
      'comment.id',
      // The expression keeps both databases from ordering by an index.
      (isSorted ? sql<Unix>`comment.created_unix + 0` : sql.ref<Unix>('comment.created_unix')).as('created_unix'),
    ]),
  )
  const keys = await mergedPage(db, queries, order, page).execute()
  const found = await loadComments(db, pluck(keys, 'id'))
  const rows = keys.flatMap(({ id }) => found.get(id) ?? [])
  return total <= countedAtMost ? { rows, total } : { rows, total: countedAtMost, bound: 'total' }
}

/** Returns the number of comments of one kind, at most one more than the limit of the count. */
async function countRepoComments(
  db: Db,
  repoId: RepoId,
  isPull: boolean,
  between: ChangedBetween,
  isByTime: boolean,
): Promise<number> {
  const rows = commentsOfRepo(db, repoId, isPull, between, isByTime)
    .select(sql.lit(1).as('one'))
    .limit(countedAtMost + 1)
  return countRows(db.selectFrom(rows.as('found')))
}

/** Returns the reviews, out of a list, that are not submitted. */
export const listPendingReviewIds = async (db: Db, reviewIds: readonly number[]): Promise<number[]> =>
  (
    await db
      .selectFrom('review')
      .select('id')
      .where('id', 'in', reviewIds as never)
      .where('type', '=', sql.lit('pending'))
      .execute()
  ).map((row) => row.id)

/**
 * Changes the number of comments of an issue by `by`, and sets its time of change when one is given. A pull request is
 * recounted, because entries of submitted reviews count too (contract, pulls: the PR object).
 */
export const addToComments = (tx: Tx, issueId: IssueId, by: number, updatedUnix?: Unix) =>
  tx
    .updateTable('issue')
    .set({
      num_comments: sql`case when is_pull then (select count(*) from comment where comment.issue_id = issue.id
        and comment.type in ('comment', 'review')) else num_comments + ${by} end`,
      ...(updatedUnix === undefined ? {} : { updated_unix: updatedUnix }),
    })
    .where('id', '=', issueId)
    .execute()

export const updateCommentText = (tx: Tx, id: CommentId, content: string, updatedUnix: Unix) =>
  tx
    .updateTable('comment')
    .set({
      content,
      further_words: furtherWords(content),
      content_version: sql`content_version + 1`,
      updated_unix: updatedUnix,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes a comment, its reactions and its earlier versions; returns undefined when it does not exist. */
export async function deleteCommentRow(
  tx: Tx,
  issueId: IssueId,
  id: CommentId,
): Promise<{ id: CommentId } | undefined> {
  await tx.deleteFrom('reaction').where('comment_id', '=', id).execute()
  await tx.deleteFrom('content_history').where('issue_id', '=', issueId).where('comment_id', '=', id).execute()
  return tx.deleteFrom('comment').where('id', '=', id).returning('id').executeTakeFirst()
}

/** Sets the time of last change of a comment. */
export const touchComment = (tx: Tx, id: CommentId, updatedUnix: Unix) =>
  tx.updateTable('comment').set({ updated_unix: updatedUnix }).where('id', '=', id).execute()

/** Deletes the entries about an issue in other timelines. References go with the issue's row by foreign key. */
export const deleteEntriesAbout = (tx: Tx, issueId: IssueId) =>
  tx.deleteFrom('comment').where('dependent_issue_id', '=', issueId).execute()

/** Deletes the entries about the issues of a repository in other timelines. */
export const deleteEntriesAboutRepo = (tx: Tx, repoId: RepoId) =>
  tx
    .deleteFrom('comment')
    .where('dependent_issue_id', 'in', (select) =>
      select.selectFrom('issue').select('issue.id').where('issue.repo_id', '=', repoId),
    )
    .execute()

/**
 * Returns the comments of an author that have one of the types, in all repositories, in the order of ids, after `after`.
 */
export const listCommentsBy = (
  db: Db,
  posterId: UserId,
  types: readonly CommentType[],
  after: CommentId | undefined,
  limit: number,
): Promise<CommentRow[]> =>
  db
    .selectFrom('comment')
    .selectAll()
    .where('poster_id', '=', posterId)
    .where('type', 'in', types)
    .where('id', '>', after ?? (0 as CommentId))
    .orderBy('id')
    .limit(limit)
    .execute()
