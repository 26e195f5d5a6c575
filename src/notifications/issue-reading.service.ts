import type { SignedInCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { enqueue, isLaneBusy } from '../jobs/queue.ts'
import type { IssueId } from '../lib/ids.ts'
import { markIssueThreadRead } from './issue-reading.job.ts'
import { laneOfIssue } from './thread.rules.ts'
import { isThreadUnread, readThreadOfIssue } from './thread.store.ts'

/**
 * Marks the viewer's notification about an issue as read, because they open its page. Call it before the page is read:
 * what happens later stays unread. An event whose recipients are not notified yet counts as read too.
 */
export async function readIssueThread({ db, viewer, clock }: SignedInCtx, issueId: IssueId): Promise<void> {
  // In this order, so that an event that is notified between both queries is not missed.
  const isNotifying = await isLaneBusy(db, laneOfIssue(issueId))
  const isUnread = await isThreadUnread(db, viewer.id, issueId)
  if (!isNotifying && !isUnread) return
  await transaction(db, async (tx) => {
    if (isUnread) await readThreadOfIssue(tx, viewer.id, issueId, clock.nowMs())
    if (isNotifying) await enqueue(tx, markIssueThreadRead, { userId: viewer.id, issueId })
  })
}
