import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { Attribution } from '../attribution.ts'
import { insertTimelineEntry } from '../timeline-entry.store.ts'
import { holdIssue } from '../issue-change.service.ts'
import { attributionNow } from '../issue.service.ts'
import { touchIssues } from '../issue.store.ts'
import { closePinGap, countPinned, findLastPin, listPinned, lockPins, openPinPosition } from './pin.store.ts'

/** Returns pinned issues or pull requests in their order. */
export const getPinned = (ctx: RepoCtx, isPull: boolean): Promise<IssueRow[]> => listPinned(ctx.db, ctx.repo.id, isPull)

/** Returns whether another issue may be pinned. */
export async function getPinsAllowed(ctx: RepoCtx): Promise<{ issues: boolean; pull_requests: boolean }> {
  const [issues, pulls] = await Promise.all([
    countPinned(ctx.db, ctx.repo.id, false),
    countPinned(ctx.db, ctx.repo.id, true),
  ])
  const { maxPinned } = ctx.config.repositoryIssue
  return { issues: issues < maxPinned, pull_requests: pulls < maxPinned }
}

async function tell(tx: Tx, by: Attribution, issue: IssueRow, isPinned: boolean): Promise<void> {
  await insertTimelineEntry(tx, by, issue.id, { type: isPinned ? 'pin' : 'unpin' })
  await touchIssues(tx, [issue.id], by.atUnix)
  await publish(tx, 'issue.pinned', {
    repoId: issue.repo_id,
    issueId: issue.id,
    doerId: by.doerId,
    isPull: issue.is_pull,
    isPinned,
  })
}

/** Pins an issue after the pinned ones; a pinned one keeps its position. @throws BadRequest when the limit is reached */
export async function pin(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await lockPins(tx, ctx.repo.id)
    const row = await holdIssue(tx, issue)
    if (row.pin_order > 0) return
    const count = await countPinned(tx, row.repo_id, row.is_pull)
    if (count >= ctx.config.repositoryIssue.maxPinned) {
      throw new BadRequest(
        `at most ${ctx.config.repositoryIssue.maxPinned} can be pinned; unpin another one first`,
        'too_many_pins',
      )
    }
    await openPinPosition(tx, row, (await findLastPin(tx, row.repo_id, row.is_pull)) + 1)
    await tell(tx, attributionNow(ctx), row, true)
  })
}

/** Unpins an issue and moves the following ones up. An issue that is not pinned is no error. */
export async function unpin(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await lockPins(tx, ctx.repo.id)
    const row = await holdIssue(tx, issue)
    if (row.pin_order === 0) return
    await closePinGap(tx, row)
    await tell(tx, attributionNow(ctx), row, false)
  })
}

/** Moves a pinned issue to a position, counted from 1; a position after the end is the end. An issue that is not pinned stays so. */
export async function movePin(ctx: SignedInRepoCtx, issue: IssueRow, position: number): Promise<void> {
  if (position < 1) throw new BadRequest('positions are counted from 1', 'pin_position')
  await transaction(ctx.db, async (tx) => {
    await lockPins(tx, ctx.repo.id)
    const row = await holdIssue(tx, issue)
    if (row.pin_order === 0) return
    const count = await countPinned(tx, row.repo_id, row.is_pull)
    // The end counts the issue's own old position, so a gap may remain (observed).
    const target = position > count ? (await findLastPin(tx, row.repo_id, row.is_pull)) + 1 : position
    await closePinGap(tx, row)
    await openPinPosition(tx, row, target)
  })
}
