import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { NewAttachmentRow, NewCommentRow, NewIssueRow, NewLabelRow, NewMilestoneRow } from '../db/tables/issues.ts'
import type { NewPullRow, NewReviewRow } from '../db/tables/pulls.ts'
import type { NewReleaseRow, ReleaseRow } from '../db/tables/releases.ts'
import type { CommentId, IssueId, LabelId, MilestoneId, ReleaseId, RepoId, ReviewId, UserId } from '../lib/ids.ts'
import { inParts } from '../lib/in-parts.ts'
import type { Unix } from '../lib/time.ts'
import { furtherWords, furtherWordsOfIssue } from '../issues/search/further-words.parse.ts'

/*
 * Bulk inserts into a hidden repository. They publish no events and keep no counts; `recountImported` counts at the end.
 */

/** Rows of one statement: with about thirty columns each they stay below SQLite's 32,766 parameters. */
const maxRowsPerStatement = 500

async function writeInParts<Row, Result>(
  rows: readonly Row[],
  write: (part: readonly Row[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const part of inParts(rows, maxRowsPerStatement)) results.push(...(await write(part)))
  return results
}

export const insertLabels = (tx: Tx, rows: readonly NewLabelRow[]) =>
  writeInParts(rows, (part) => tx.insertInto('label').values(part).execute())

export const insertMilestones = (tx: Tx, rows: readonly NewMilestoneRow[]) =>
  writeInParts(rows, (part) => tx.insertInto('milestone').values(part).execute())

/** Loads the labels of a repository by name, the oldest of each name. */
export const loadLabelIds = async (db: Db | Tx, repoId: RepoId): Promise<Map<string, LabelId>> => {
  const rows = await db
    .selectFrom('label')
    .select(['id', 'name'])
    .where('repo_id', '=', repoId)
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.name, row.id]))
}

/** Loads the milestones of a repository by title, the oldest of each title. */
export const loadMilestoneIds = async (db: Db | Tx, repoId: RepoId): Promise<Map<string, MilestoneId>> => {
  const rows = await db
    .selectFrom('milestone')
    .select(['id', 'title'])
    .where('repo_id', '=', repoId)
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.title, row.id]))
}

/** Inserts issues except those whose numbers are taken, and returns the new ids by number. */
export const insertIssues = async (tx: Tx, rows: readonly NewIssueRow[]): Promise<Map<number, IssueId>> =>
  new Map(
    (
      await writeInParts(rows, (part) =>
        tx
          .insertInto('issue')
          .values(part.map((row) => ({ ...row, further_words: furtherWordsOfIssue(row) })))
          .onConflict((conflict) => conflict.columns(['repo_id', 'index']).doNothing())
          .returning(['id', 'index'])
          .execute(),
      )
    ).map((row) => [row.index, row.id]),
  )

/** Loads the ids of issues and pull requests by number. */
export const loadIssueIds = async (
  db: Db | Tx,
  repoId: RepoId,
  numbers: readonly number[],
): Promise<Map<number, IssueId>> => {
  if (numbers.length === 0) return new Map()
  const rows = await db
    .selectFrom('issue')
    .select(['id', 'index'])
    .where('repo_id', '=', repoId)
    .where('index', 'in', [...new Set(numbers)])
    .execute()
  return new Map(rows.map((row) => [row.index, row.id]))
}

/** Returns the highest number of an issue, or 0. */
export const highestIssueNumber = async (db: Db, repoId: RepoId): Promise<number> =>
  (
    await db
      .selectFrom('issue')
      .select((select) => select.fn.max('index').as('highest'))
      .where('repo_id', '=', repoId)
      .where('is_pull', '=', false)
      .executeTakeFirst()
  )?.highest ?? 0

export const insertIssueLabels = (tx: Tx, rows: readonly { issue_id: IssueId; label_id: LabelId }[]) =>
  writeInParts(rows, (part) =>
    tx
      .insertInto('issue_label')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )

export const insertAssignees = (tx: Tx, rows: readonly { issue_id: IssueId; user_id: UserId }[]) =>
  writeInParts(rows, (part) =>
    tx
      .insertInto('issue_assignee')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )

export interface NewReaction {
  readonly issue_id: IssueId
  readonly comment_id: CommentId | 0
  readonly user_id: UserId
  readonly original_author: string
  readonly content: string
  readonly created_unix: Unix
}

export const insertReactions = (tx: Tx, rows: readonly NewReaction[]) =>
  writeInParts(rows, (part) =>
    tx
      .insertInto('reaction')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )

/** Inserts timeline entries and returns their ids in the order of the rows. */
export const insertEntries = async (tx: Tx, rows: readonly NewCommentRow[]): Promise<CommentId[]> =>
  (
    await writeInParts(rows, (part) =>
      tx
        .insertInto('comment')
        .values(part.map((row) => ({ ...row, further_words: furtherWords(row.content ?? '') })))
        .returning('id')
        .execute(),
    )
  )
    .map((row) => row.id)
    .sort((one, other) => one - other)

export const insertPulls = (tx: Tx, rows: readonly NewPullRow[]) =>
  writeInParts(rows, (part) => tx.insertInto('pull').values(part).execute())

/** Inserts reviews and returns their ids in the order of the rows. */
export const insertReviews = async (tx: Tx, rows: readonly NewReviewRow[]): Promise<ReviewId[]> =>
  (await writeInParts(rows, (part) => tx.insertInto('review').values(part).returning('id').execute()))
    .map((row) => row.id)
    .sort((one, other) => one - other)

/** Lists the tags with a release, in lower case. */
export const listReleaseTags = async (db: Db, repoId: RepoId): Promise<ReadonlySet<string>> =>
  new Set(
    (await db.selectFrom('release').select('lower_tag_name').where('repo_id', '=', repoId).execute()).map(
      (row) => row.lower_tag_name,
    ),
  )

/** Inserts a release; returns undefined when the tag has one. */
export const insertNewRelease = async (tx: Tx, row: NewReleaseRow): Promise<ReleaseId | undefined> =>
  (
    await tx
      .insertInto('release')
      .values(row)
      .onConflict((conflict) => conflict.columns(['repo_id', 'lower_tag_name']).doNothing())
      .returning('id')
      .executeTakeFirst()
  )?.id

export const insertFiles = (tx: Tx, rows: readonly NewAttachmentRow[]) =>
  writeInParts(rows, (part) => tx.insertInto('attachment').values(part).execute())

/** Recomputes all counts of a repository's rows. */
export async function recountImported(tx: Tx, repoId: RepoId): Promise<void> {
  const issuesOf = (isPull: boolean, onlyClosed: boolean) =>
    sql<number>`(select count(*) from issue where issue.repo_id = repo.id and issue.is_pull = ${sql.lit(isPull)}
      and (issue.is_closed or ${sql.lit(!onlyClosed)}))`
  await tx
    .updateTable('issue')
    .set({
      num_comments: sql<number>`(select count(*) from comment where comment.issue_id = issue.id
        and comment.type in ('comment', 'review'))`,
    })
    .where('repo_id', '=', repoId)
    .execute()
  await tx
    .updateTable('pull')
    .set({
      num_reviews: sql<number>`(select count(*) from comment where comment.issue_id = pull.issue_id
        and comment.type = 'review')`,
    })
    .where('repo_id', '=', repoId)
    .execute()
  const ofLabel = (onlyClosed: boolean) =>
    sql<number>`(select count(*) from issue_label join issue on issue.id = issue_label.issue_id
      where issue_label.label_id = label.id and (issue.is_closed or ${sql.lit(!onlyClosed)}))`
  await tx
    .updateTable('label')
    .set({ num_issues: ofLabel(false), num_closed_issues: ofLabel(true) })
    .where('repo_id', '=', repoId)
    .execute()
  const ofMilestone = (onlyClosed: boolean) =>
    sql<number>`(select count(*) from issue where issue.milestone_id = milestone.id
      and (issue.is_closed or ${sql.lit(!onlyClosed)}))`
  await tx
    .updateTable('milestone')
    .set({ num_issues: ofMilestone(false), num_closed_issues: ofMilestone(true) })
    .where('repo_id', '=', repoId)
    .execute()
  await tx
    .updateTable('repo')
    .set({
      num_issues: issuesOf(false, false),
      num_closed_issues: issuesOf(false, true),
      num_pulls: issuesOf(true, false),
      num_closed_pulls: issuesOf(true, true),
      num_releases: sql<number>`(select count(*) from "release" where "release".repo_id = repo.id
        and not "release".is_draft)`,
      last_index: sql<number>`(select coalesce(max(issue."index"), 0) from issue where issue.repo_id = repo.id)`,
    })
    .where('id', '=', repoId)
    .execute()
}

/** Lists the releases of a repository. */
export const listReleasesOf = (db: Db, repoId: RepoId): Promise<ReleaseRow[]> =>
  db.selectFrom('release').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()
