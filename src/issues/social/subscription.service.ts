import type { RepoCtx, SignedInCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { Forbidden, NotFound } from '../../lib/errors.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { endIssueWatch, findIssueWatch, listIssueWatchers, takesPart, upsertIssueWatch } from './subscription.store.ts'

/** Returns one page of the subscribers of an issue that the viewer may see. */
export const getSubscribers = (ctx: RepoCtx, issue: IssueRow, page: Page): Promise<PeoplePage> =>
  listIssueWatchers(ctx.db, issue.id, ctx.viewer, page)

/** Returns whether an account is notified of an issue: its explicit choice, else whether it participates. */
export const isSubscribed = async (ctx: RepoCtx, issue: IssueRow, userId: UserId): Promise<boolean> =>
  (await findIssueWatch(ctx.db, issue.id, userId)) ?? (await takesPart(ctx.db, issue, userId))

/** Returns the error for an unknown account. */
export const noSubscriber = () => new NotFound('the user does not exist', 'user_not_found')

/**
 * Subscribes an account to an issue, or unsubscribes it. Only site administrators may do so for another account.
 * @returns whether the subscription changed
 */
export async function setSubscription(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  user: UserRow,
  isWatching: boolean,
): Promise<boolean> {
  if (user.kind !== 'individual') throw noSubscriber()
  if (user.id !== ctx.viewer.id && !ctx.viewer.isAdmin) {
    throw new Forbidden('you can change your own subscriptions only', 'subscription_forbidden')
  }
  if ((await isSubscribed(ctx, issue, user.id)) === isWatching) return false
  await transaction(ctx.db, (tx) => upsertIssueWatch(tx, issue.id, user.id, isWatching, nowUnix(ctx.clock)))
  return true
}

/** Ends the viewer's subscription to an issue, also to one that the viewer may no longer read. */
export const endSubscription = async (ctx: SignedInCtx, issueId: IssueId): Promise<void> => {
  await transaction(ctx.db, (tx) => endIssueWatch(tx, issueId, ctx.viewer.id, nowUnix(ctx.clock)))
}
