import { transaction, type Db, type Tx } from '../db/database.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
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
 * Removes an issue or pull request with everything below it, and what timelines elsewhere tell of it. Its number is not
 * given again; its files are deleted by whoever hears `attachment.deleted`. False when somebody else removed it first.
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
 * Removes a comment with its reactions and files; the references that it made are neutered. False when somebody else
 * removed it first.
 */
export async function removeComment(tx: Tx, by: Attribution, issue: IssueRow, comment: CommentRow): Promise<boolean> {
  // Who removes a comment holds its issue, so one that is found is removed by nobody else meanwhile.
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

/** Comments that are read at once. */
const batch = 200

/** Removes a person's comments of some types, wherever they are, each in a transaction of its own. */
export async function removeCommentsBy(
  db: Db,
  posterId: UserId,
  types: Parameters<typeof listCommentsBy>[2],
  remove: (tx: Tx, issue: IssueRow, comment: CommentRow) => Promise<unknown>,
): Promise<void> {
  for await (const comments of inBatches((after?: CommentId) => listCommentsBy(db, posterId, types, after, batch))) {
    const issues = await loadIssues(
      db,
      comments.map((comment) => comment.issue_id),
    )
    for (const comment of comments) {
      const issue = issues.get(comment.issue_id)
      // It went with its issue, or somebody removed it, since the list was read.
      if (issue) await transaction(db, (tx) => remove(tx, issue, comment))
    }
  }
}
