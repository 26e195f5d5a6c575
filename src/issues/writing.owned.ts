import type { Services } from '../access/context.ts'
import type { OwnedByAccount, OwnedByRepo } from '../access/owned.ts'
import { transaction } from '../db/database.ts'
import type { CommentId, IssueId, UserId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'
import { nowUnix } from '../lib/time.ts'
import type { Attribution } from './attribution.ts'
import { listIssuesBy, loadIssues, takeFromOrgLabels } from './issue.store.ts'
import { removeComment, removeIssue } from './removal.service.ts'
import { deleteEntriesAboutRepo, listCommentsBy } from './timeline-entry.store.ts'

/** Rows that are read at once. */
const batch = 200

/** Issues, pull requests and comments that a person wrote, wherever they are. */
export const writings: OwnedByAccount = {
  of: 'account',
  async purge(services, account, doerId) {
    const by: Attribution = { doerId, atUnix: nowUnix(services.clock), isDated: false }
    await removeIssuesOf(services, account.id, by)
    await removeCommentsOf(services, account.id, by)
  },
}

async function removeIssuesOf({ db }: Services, posterId: UserId, by: Attribution): Promise<void> {
  for await (const issues of inBatches((after?: IssueId) => listIssuesBy(db, posterId, after, batch))) {
    for (const issue of issues) await transaction(db, (tx) => removeIssue(tx, by, issue))
  }
}

async function removeCommentsOf({ db }: Services, posterId: UserId, by: Attribution): Promise<void> {
  for await (const comments of inBatches((after?: CommentId) =>
    listCommentsBy(db, posterId, ['comment'], after, batch),
  )) {
    const issues = await loadIssues(
      db,
      comments.map((comment) => comment.issue_id),
    )
    for (const comment of comments) {
      const issue = issues.get(comment.issue_id)
      // It went with its issue, or somebody removed it, since the list was read.
      if (issue) await transaction(db, (tx) => removeComment(tx, by, issue, comment))
    }
  }
}

/** What others tell and count of the issues of a repository: entries of timelines elsewhere, labels of its organization. */
export const tracesOfIssues: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    await deleteEntriesAboutRepo(tx, repo.id)
    await takeFromOrgLabels(tx, repo.id)
  },
}
