import type { SignedInRepoCtx } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { Conflict } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import type { Attribution } from '../attribution.ts'
import { durationText } from './duration.ts'
import { insertTimelineEntry } from '../timeline-entry.store.ts'
import { findIssueById, touchIssues } from '../issue.store.ts'
import { deleteStopwatch, findStopwatch, insertStopwatch, insertTrackedTime } from './stopwatch.store.ts'

/** Stops the doer's stopwatch on an issue, if one runs, and records its time. */
export async function stopOwnWatch(tx: Tx, by: Attribution, issue: IssueRow): Promise<boolean> {
  const watch = await deleteStopwatch(tx, by.doerId, issue.id)
  if (!watch) return false
  const seconds = Math.max(0, by.atUnix - watch.created_unix)
  const time = await insertTrackedTime(tx, {
    issue_id: issue.id,
    user_id: by.doerId,
    seconds,
    created_unix: by.atUnix,
  })
  await insertTimelineEntry(tx, by, issue.id, {
    type: 'stop_tracking',
    content: durationText(seconds),
    time_id: time.id,
  })
  await touchIssues(tx, [issue.id], by.atUnix)
  return true
}

const attributionNow = (ctx: SignedInRepoCtx): Attribution => ({
  doerId: ctx.viewer.id,
  atUnix: nowUnix(ctx.clock),
  isDated: false,
})

/** Starts a stopwatch and stops the one on another issue. @throws Conflict when one runs on this issue */
export async function startWatch(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const running = await findStopwatch(tx, ctx.viewer.id)
    if (running?.issue_id === issue.id) throw new Conflict('the stopwatch is already running', 'stopwatch_running')
    const other = running ? await findIssueById(tx, running.issue_id) : undefined
    if (other) await stopOwnWatch(tx, by, other)
    if (!(await insertStopwatch(tx, ctx.viewer.id, issue.id, by.atUnix))) {
      throw new Conflict('another stopwatch was started at the same time; try again', 'stopwatch_running')
    }
    await insertTimelineEntry(tx, by, issue.id, { type: 'start_tracking' })
    await touchIssues(tx, [issue.id], by.atUnix)
  })
}

/** Stops the caller's stopwatch on an issue. @throws Conflict when none runs */
export async function stopWatch(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  const stopped = await transaction(ctx.db, (tx) => stopOwnWatch(tx, attributionNow(ctx), issue))
  if (!stopped) throw new Conflict('no stopwatch is running here', 'stopwatch_not_running')
}

/** Discards the caller's stopwatch without recording its time. @throws Conflict when none runs */
export async function cancelWatch(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    if (!(await deleteStopwatch(tx, ctx.viewer.id, issue.id))) {
      throw new Conflict('no stopwatch is running here', 'stopwatch_not_running')
    }
    await insertTimelineEntry(tx, by, issue.id, { type: 'cancel_tracking' })
    await touchIssues(tx, [issue.id], by.atUnix)
  })
}
