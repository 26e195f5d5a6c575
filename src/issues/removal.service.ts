import { transaction, type Db, type Tx } from '../db/database.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import { pluck } from '../lib/pluck.ts'
import { publish } from '../events/hub.ts'
import type { CommentId, UserId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'
import { removeFiles } from '../attachments/attachment-row.service.ts'
import { listAllFilesOfIssue, listFilesOfComments } from './attachments/attachment.store.ts'
import type { Attribution } from './attribution.ts'
import { factsOfGoneComment } from './issue-change.service.ts'
import {
  addToLabelCounters,
  addToMilestoneCounters,
  addToRepoCounters,
  deleteIssueRow,
  findIssueForUpdate,
  loadIssues,
} from './issue.store.ts'
import { listSetLabels } from './labels/label.store.ts'
import { closePinGap } from './social/pin.store.ts'
import { listLiveReferences, neuterReferences } from './references/reference.store.ts'
import {
  addToComments,
  deleteCommentRow,
  deleteEntriesAbout,
  findComment,
  listCommentsBy,
} from './timeline-entry.store.ts'

/**
 * Deletes an issue or pull request with its rows and the entries about it in other timelines. The number is never reused.
 * Subscribers of `attachment.deleted` delete the files.
 * @returns false when another request deleted it first
 */
export async function removeIssue(tx: Tx, by: Attribution, { id }: Pick<IssueRow, 'id'>): Promise<boolean> {
  const row = await findIssueForUpdate(tx, id)
  if (!row) return false
  const change = { total: -1, closed: row.is_closed ? -1 : 0 }
  await addToRepoCounters(tx, row.repo_id, row.is_pull, change)
  if (row.milestone_id !== null) {
    await addToMilestoneCounters(tx, row.milestone_id, change, { unix: by.atUnix, onlyLater: true })
  }
  const labels = await listSetLabels(tx, row.id)
  await addToLabelCounters(
    tx,
    labels.map((label) => label.id),
    change,
  )
  if (row.pin_order > 0) await closePinGap(tx, row)
  const files = await listAllFilesOfIssue(tx, row.id)
  await removeFiles(
    tx,
    row.repo_id,
    files.map((file) => file.id),
    by.doerId,
  )
  await deleteEntriesAbout(tx, row.id)
  await deleteIssueRow(tx, row.id)
  await publish(tx, 'issue.deleted', {
    repoId: row.repo_id,
    issueId: row.id,
    doerId: by.doerId,
    isPull: row.is_pull,
    index: row.index,
    title: row.title,
    posterId: row.poster_id,
    isClosed: row.is_closed,
  })
  return true
}

/**
 * Deletes a comment with its reactions and files, and neuters the references that it made.
 * @returns false when another request deleted it first
 */
export async function removeComment(tx: Tx, by: Attribution, issue: IssueRow, comment: CommentRow): Promise<boolean> {
  // The lock on the issue keeps other requests from deleting the comment.
  if (!(await findIssueForUpdate(tx, issue.id))) return false
  if (!(await findComment(tx, comment.id))) return false
  const live = await listLiveReferences(tx, issue.id, comment.id)
  await neuterReferences(
    tx,
    live.map((entry) => entry.id),
    by.atUnix,
  )
  const files = await listFilesOfComments(tx, [comment.id])
  await removeFiles(
    tx,
    issue.repo_id,
    files.map((file) => file.id),
    by.doerId,
  )
  await deleteCommentRow(tx, issue.id, comment.id)
  await addToComments(tx, issue.id, -1)
  await publish(tx, 'comment.deleted', factsOfGoneComment(issue, comment, by))
  return true
}

/** Number of comments that one query reads. */
const batch = 200

/** Deletes the comments of an account that have one of the types, in all repositories. Each has its own transaction. */
export async function removeCommentsBy(
  db: Db,
  posterId: UserId,
  types: Parameters<typeof listCommentsBy>[2],
  remove: (tx: Tx, issue: IssueRow, comment: CommentRow) => Promise<unknown>,
): Promise<void> {
  for await (const comments of inBatches((after?: CommentId) => listCommentsBy(db, posterId, types, after, batch))) {
    const issues = await loadIssues(db, pluck(comments, 'issue_id'))
    for (const comment of comments) {
      const issue = issues.get(comment.issue_id)
      // The issue or the comment may be deleted after the query that listed it.
      if (issue) await transaction(db, (tx) => remove(tx, issue, comment))
    }
  }
}
