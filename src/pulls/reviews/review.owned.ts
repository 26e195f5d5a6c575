import type { Services } from '../../access/context.ts'
import type { OwnedByAccount } from '../../access/contributions/owned.ts'
import { transaction } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { removeCommentsBy } from '../../issues/removal.service.ts'
import type { ReviewId, UserId } from '../../lib/ids.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { nowUnix } from '../../lib/time.ts'
import { loadPulls } from '../pull.store.ts'
import { removeLineComment, removeReview } from './review-removal.service.ts'
import { listReviewsBy } from './review.store.ts'

/** Rows of one query. */
const batch = 200

/** Reviews and line comments of an account in each repository. */
export const reviews: OwnedByAccount = {
  of: 'account',
  async purge(services, account, doerId) {
    const by: Attribution = { doerId, atUnix: nowUnix(services.clock), isDated: false }
    await removeReviewsOf(services, account.id, by)
    await removeCommentsBy(services.db, account.id, ['code', 'review'], (tx, issue, comment) =>
      removeLineComment(tx, by, issue, comment, { isPending: false }),
    )
  },
}

async function removeReviewsOf({ db }: Services, reviewerId: UserId, by: Attribution): Promise<void> {
  for await (const rows of inBatches((after?: ReviewId) => listReviewsBy(db, reviewerId, after, batch))) {
    const pulls = await loadPulls(db, pluck(rows, 'issue_id'))
    for (const review of rows) {
      const pull = pulls.get(review.issue_id)
      // Without a pull request, the review was deleted with it since the list was read.
      if (pull) await transaction(db, (tx) => removeReview(tx, by, pull, review))
    }
  }
}
