import type { Services } from '../access/context.ts'
import type { OwnedByAccount, OwnedByRepo } from '../access/contributions/owned.ts'
import { transaction } from '../db/database.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'
import { nowUnix } from '../lib/time.ts'
import type { Attribution } from './attribution.ts'
import { listIssuesBy, takeFromOrgLabels } from './issue.store.ts'
import { removeComment, removeCommentsBy, removeIssue } from './removal.service.ts'
import { deleteEntriesAboutRepo } from './timeline-entry.store.ts'

/** Number of rows that one query reads. */
const batch = 200

/** Issues, pull requests and comments that an account wrote, in all repositories. */
export const writings: OwnedByAccount = {
  of: 'account',
  async purge(services, account, doerId) {
    const by: Attribution = { doerId, atUnix: nowUnix(services.clock), isDated: false }
    await removeIssuesOf(services, account.id, by)
    await removeCommentsBy(services.db, account.id, ['comment'], (tx, issue, comment) =>
      removeComment(tx, by, issue, comment),
    )
  },
}

async function removeIssuesOf({ db }: Services, posterId: UserId, by: Attribution): Promise<void> {
  for await (const issues of inBatches((after?: IssueId) => listIssuesBy(db, posterId, after, batch))) {
    for (const issue of issues) await transaction(db, (tx) => removeIssue(tx, by, issue))
  }
}

/**
 * Rows outside of a repository that depend on its issues: timeline entries elsewhere, and counters of organization labels.
 */
export const tracesOfIssues: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    await deleteEntriesAboutRepo(tx, repo.id)
    await takeFromOrgLabels(tx, repo.id)
  },
}
