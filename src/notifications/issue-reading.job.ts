import { Type } from 'typebox'
import { transaction } from '../db/database.ts'
import type { Ctx } from '../access/context.ts'
import { job } from '../jobs/job.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import { laneOfIssue } from './thread.rules.ts'
import { readThreadOfIssue } from './thread.store.ts'

/** Marks a notification as read after the events that the reader of the page has seen made it unread. */
export const markIssueThreadRead = job({
  name: 'markIssueThreadRead',
  input: Type.Object({
    userId: Type.Unsafe<UserId>(Type.Integer()),
    issueId: Type.Unsafe<IssueId>(Type.Integer()),
  }),
  lane: ({ issueId }) => laneOfIssue(issueId),
  whenFailing: 'pass',
  run: (ctx: Pick<Ctx, 'db' | 'clock'>, { userId, issueId }) =>
    transaction(ctx.db, (tx) => readThreadOfIssue(tx, userId, issueId, ctx.clock.nowMs())),
})
