import { transaction, type Tx } from '../db/database.ts'
import { pluck } from '../lib/pluck.ts'
import type { PageOf } from './import-page.ts'
import type { CommentId, IssueId, LabelId, MilestoneId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { keptTitle } from '../issues/title.rules.ts'
import { fetchFiles, writeFiles, type WithFiles } from './import-files.service.ts'
import type { RepositoryRun } from './import-run.ts'
import { accountOf, progressAfter, reach, timeOr, writerOf } from './import-run.ts'
import {
  insertAssignees,
  insertEntries,
  insertIssueLabels,
  insertIssues,
  insertLabels,
  insertMilestones,
  insertReactions,
  loadIssueIds,
  loadLabelIds,
  loadMilestoneIds,
  type NewReaction,
} from './import-rows.store.ts'
import type { SourceComment, SourceIssue, SourceLabel, SourceMilestone, SourceReaction } from './sources/source.ts'

/** Longest name of a label or milestone. */
const maxNameLength = 255

const labelName = (name: string): string => name.trim().slice(0, maxNameLength)

export async function writeLabels(run: RepositoryRun, page: PageOf<SourceLabel>): Promise<void> {
  await transaction(run.ctx.db, async (tx) => {
    const added = await addMissingLabels(tx, run, page.items)
    await reach(tx, run, progressAfter(page, added))
  })
}

async function addMissingLabels(tx: Tx, run: RepositoryRun, labels: readonly SourceLabel[]): Promise<number> {
  const known = await loadLabelIds(tx, run.repo.id)
  const missing = new Map(
    labels
      .map((label) => ({ ...label, name: labelName(label.name) }))
      .filter(({ name }) => name !== '' && !known.has(name))
      .map((label) => [label.name, label]),
  )
  const atUnix = nowUnix(run.ctx.clock)
  await insertLabels(
    tx,
    [...missing.values()].map((label) => ({
      repo_id: run.repo.id,
      org_id: null,
      name: label.name,
      description: label.description,
      color: label.color,
      is_exclusive: label.isExclusive && label.name.includes('/'),
      created_unix: atUnix,
      updated_unix: atUnix,
    })),
  )
  return missing.size
}

export async function writeMilestones(run: RepositoryRun, page: PageOf<SourceMilestone>): Promise<void> {
  const atUnix = nowUnix(run.ctx.clock)
  await transaction(run.ctx.db, async (tx) => {
    const known = await loadMilestoneIds(tx, run.repo.id)
    const missing = new Map(
      page.items
        .map((milestone) => ({ ...milestone, title: labelName(milestone.title) }))
        .filter(({ title }) => title !== '' && !known.has(title))
        .map((milestone) => [milestone.title, milestone]),
    )
    await insertMilestones(
      tx,
      [...missing.values()].map((milestone) => ({
        repo_id: run.repo.id,
        title: milestone.title,
        content: milestone.content,
        is_closed: milestone.isClosed,
        due_unix: milestone.dueUnix,
        closed_unix: milestone.isClosed ? timeOr(milestone.closedUnix, atUnix) : 0,
        created_unix: timeOr(milestone.createdUnix, atUnix),
        updated_unix: timeOr(milestone.updatedUnix, atUnix),
      })),
    )
    await reach(tx, run, progressAfter(page, missing.size))
  })
}

/** Ids of labels and milestones by their names. */
interface NamedRows {
  readonly labels: ReadonlyMap<string, LabelId>
  readonly milestones: ReadonlyMap<string, MilestoneId>
}

/** Loads the labels and milestones of issues; labels of an organization, which no list contains, are created. */
async function namedRows(tx: Tx, run: RepositoryRun, issues: readonly SourceIssue[]): Promise<NamedRows> {
  if (run.wanted.items.includes('labels')) {
    await addMissingLabels(
      tx,
      run,
      issues.flatMap((issue) => issue.labels),
    )
  }
  return { labels: await loadLabelIds(tx, run.repo.id), milestones: await loadMilestoneIds(tx, run.repo.id) }
}

/**
 * Inserts issues or pull requests with labels, assignees, reactions and embedded comments, and returns the new ids by number.
 * Numbers that exist are skipped, so a repeated page adds nothing.
 */
export async function writeIssueRows(
  tx: Tx,
  run: RepositoryRun,
  issues: readonly (SourceIssue & WithFiles)[],
  options: { readonly isPull: boolean; readonly mergedUnix: (number: number) => Unix },
): Promise<ReadonlyMap<number, IssueId>> {
  const atUnix = nowUnix(run.ctx.clock)
  const { labels, milestones } = await namedRows(tx, run, issues)
  const unique = [...new Map(issues.map((issue) => [issue.number, issue])).values()]
  const ids = await insertIssues(
    tx,
    unique.map((issue) => {
      const writer = writerOf(run, issue.author)
      const createdUnix = timeOr(issue.createdUnix, atUnix)
      return {
        repo_id: run.repo.id,
        index: issue.number,
        is_pull: options.isPull,
        poster_id: writer.id,
        original_author: writer.originalAuthor,
        title: keptTitle(issue.title) || `#${issue.number}`,
        content: issue.content,
        ref: issue.ref,
        milestone_id: milestones.get(labelName(issue.milestone)) ?? null,
        is_closed: issue.isClosed,
        is_locked: issue.isLocked,
        due_unix: issue.dueUnix,
        created_unix: createdUnix,
        updated_unix: timeOr(issue.updatedUnix, createdUnix),
        closed_unix: issue.isClosed ? timeOr(issue.closedUnix, timeOr(issue.updatedUnix, createdUnix)) : 0,
        merged_unix: options.mergedUnix(issue.number),
      }
    }),
  )
  const fresh = unique.flatMap((issue) => {
    const id = ids.get(issue.number)
    return id === undefined ? [] : [{ id, issue }]
  })
  await insertIssueLabels(
    tx,
    fresh.flatMap(({ id, issue }) =>
      [...new Set(issue.labels.map(({ name }) => labels.get(labelName(name))))].flatMap((label) =>
        label === undefined ? [] : [{ issue_id: id, label_id: label }],
      ),
    ),
  )
  await insertAssignees(
    tx,
    fresh.flatMap(({ id, issue }) =>
      issue.assignees.flatMap((person) => {
        const userId = accountOf(run, person)
        return userId === undefined ? [] : [{ issue_id: id, user_id: userId }]
      }),
    ),
  )
  await insertReactions(
    tx,
    fresh.flatMap(({ id, issue }) => reactionRows(run, id, 0, issue.reactions, timeOr(issue.createdUnix, atUnix))),
  )
  await writeFiles(
    tx,
    run,
    fresh.map(({ id, issue }) => ({ ...issue, issueId: id, commentId: null })),
  )
  await writeCommentRows(
    tx,
    run,
    fresh.flatMap(({ id, issue }) => (issue.comments ?? []).map((comment) => ({ issueId: id, comment }))),
  )
  return ids
}

function reactionRows(
  run: RepositoryRun,
  issueId: IssueId,
  commentId: CommentId | 0,
  reactions: readonly SourceReaction[],
  atUnix: Unix,
): NewReaction[] {
  const known = run.ctx.config.ui.reactions
  return reactions
    .filter(({ content }) => known.includes(content))
    .map(({ author, content }) => {
      const account = accountOf(run, author)
      return {
        issue_id: issueId,
        comment_id: commentId,
        // A reaction needs an account; the reserved one stands for remote authors.
        user_id: account ?? run.hidden.id,
        original_author: account === undefined ? author.name : '',
        content,
        created_unix: atUnix,
      }
    })
}

async function writeCommentRows(
  tx: Tx,
  run: RepositoryRun,
  comments: readonly { readonly issueId: IssueId; readonly comment: Omit<SourceComment, 'number'> & WithFiles }[],
): Promise<void> {
  const atUnix = nowUnix(run.ctx.clock)
  const ids = await insertEntries(
    tx,
    comments.map(({ issueId, comment }) => {
      const writer = writerOf(run, comment.author)
      const createdUnix = timeOr(comment.createdUnix, atUnix)
      return {
        issue_id: issueId,
        type: 'comment' as const,
        poster_id: writer.id,
        original_author: writer.originalAuthor,
        content: comment.content,
        created_unix: createdUnix,
        updated_unix: timeOr(comment.updatedUnix, createdUnix),
      }
    }),
  )
  await writeFiles(
    tx,
    run,
    comments.map(({ issueId, comment }, index) => ({ ...comment, issueId, commentId: ids[index] as CommentId })),
  )
  await insertReactions(
    tx,
    comments.flatMap(({ issueId, comment }, index) =>
      reactionRows(run, issueId, ids[index] as CommentId, comment.reactions, timeOr(comment.createdUnix, atUnix)),
    ),
  )
}

export async function writeIssues(run: RepositoryRun, page: PageOf<SourceIssue>): Promise<void> {
  const issues = await fetchFiles(run, page.items)
  await transaction(run.ctx.db, async (tx) => {
    const ids = await writeIssueRows(tx, run, issues, { isPull: false, mergedUnix: () => 0 })
    await reach(tx, run, progressAfter(page, ids.size))
  })
}

/** Inserts comments; those on issues that were not imported are skipped. */
export async function writeComments(run: RepositoryRun, page: PageOf<SourceComment>): Promise<void> {
  const comments = await fetchFiles(run, page.items)
  await transaction(run.ctx.db, async (tx) => {
    const ids = await loadIssueIds(tx, run.repo.id, pluck(page.items, 'number'))
    const known = comments.flatMap((comment) => {
      const issueId = ids.get(comment.number)
      return issueId === undefined ? [] : [{ issueId, comment }]
    })
    await writeCommentRows(tx, run, known)
    await reach(tx, run, progressAfter(page, known.length))
  })
}
