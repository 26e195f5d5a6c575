import type { Ctx, RepoCtx, SignedInCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { StopwatchRow, TrackedTimeRow } from '../../db/tables/issue-details.ts'
import { BadRequest, Forbidden, NotFound } from '../../lib/errors.ts'
import type { TrackedTimeId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { sentTime, type Unix } from '../../lib/time.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { findShownUser } from '../../users/user.service.ts'
import { durationText } from './duration.ts'
import { insertTimelineEntry } from '../timeline-entry.store.ts'
import { mayManage } from '../issue.policy.ts'
import { attributionNow } from '../issue.service.ts'
import { listAssigneeIds, touchIssues } from '../issue.store.ts'
import { insertTrackedTime, listStopwatches } from './stopwatch.store.ts'
import { deleteTime, deleteTimesOf, findTime, findTimes, type TimeFilter } from './time.store.ts'

/** Returns whether a repository and the instance have time tracking on. */
export const isTrackingOn = (ctx: RepoCtx): boolean =>
  ctx.config.service.enableTimetracking && (unitConfig(ctx.units, 'issues')?.enable_time_tracker ?? false)

/** Returns whether the caller may track time: writers, the author and assignees, or anyone if the repository allows it. */
export async function mayTrack(ctx: SignedInRepoCtx, issue: IssueRow): Promise<boolean> {
  if (unitConfig(ctx.units, 'issues')?.allow_only_contributors_to_track_time === false) return true
  if (mayManage(ctx.rights, issue).allowed || issue.poster_id === ctx.viewer.id) return true
  return (await listAssigneeIds(ctx.db, issue.id)).includes(ctx.viewer.id)
}

/** @throws BadRequest when time tracking is off */
export function refuseNoTracking(ctx: RepoCtx): void {
  if (!isTrackingOn(ctx)) throw new BadRequest('time tracking is switched off', 'time_tracking_off')
}

/** The filters of a list of times. */
export interface TimeQuery {
  readonly user?: string | undefined
  readonly since?: string | undefined
  readonly before?: string | undefined
}

export interface FoundTimes {
  readonly rows: readonly TrackedTimeRow[]
  readonly total: number
}

const find = (ctx: Ctx, filter: TimeFilter, page: Page): Promise<FoundTimes> => findTimes(ctx.db, filter, page)

/** The refusal for an unknown account name. */
export const noUser = () => new NotFound('the user does not exist', 'user_not_found')

async function getUser(ctx: Ctx, name: string): Promise<UserRow> {
  const user = await findShownUser(ctx, name)
  if (!user) throw noUser()
  return user
}

/** Returns the account whose times are listed. Administrators of the repository may choose one; others see their own. */
async function whose(ctx: SignedInRepoCtx, seesAll: boolean, name: string | undefined): Promise<UserId | undefined> {
  const userId = name ? (await getUser(ctx, name)).id : undefined
  if (seesAll) return userId
  if (userId !== undefined && userId !== ctx.viewer.id) {
    throw new Forbidden('only administrators of the repository see the times of others', 'times_forbidden')
  }
  return ctx.viewer.id
}

const between = (query: TimeQuery): { sinceUnix: Unix | undefined; beforeUnix: Unix | undefined } => ({
  sinceUnix: sentTime(query.since, 'since'),
  beforeUnix: sentTime(query.before, 'before'),
})

/**
 * Returns one page of the times of an issue that the caller may see.
 * @throws NotFound when time tracking is off
 */
export async function getTimesOfIssue(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  query: TimeQuery,
  page: Page,
): Promise<FoundTimes> {
  if (!isTrackingOn(ctx)) throw new NotFound('time tracking is switched off', 'time_tracking_off')
  const userId = await whose(ctx, mayManage(ctx.rights, issue).allowed, query.user)
  return find(ctx, { issueId: issue.id, userId, ...between(query) }, page)
}

/** Returns one page of the times of a repository that the caller may see. */
export async function getTimesOfRepo(ctx: SignedInRepoCtx, query: TimeQuery, page: Page): Promise<FoundTimes> {
  refuseNoTracking(ctx)
  const seesAll = ctx.rights.canWrite('issues')
  return find(ctx, { repoId: ctx.repo.id, userId: await whose(ctx, seesAll, query.user), ...between(query) }, page)
}

/** Returns all times of one account in a repository, for that account and for administrators of the repository. */
export async function getTimesOfUser(ctx: SignedInRepoCtx, user: UserRow, page: Page): Promise<FoundTimes> {
  if (user.id !== ctx.viewer.id && !ctx.rights.isAdmin) {
    throw new Forbidden('only administrators of the repository see the times of others', 'times_forbidden')
  }
  return find(ctx, { repoId: ctx.repo.id, userId: user.id }, page)
}

/** Returns one page of the caller's own times on issues that they may read. */
export const getOwnTimes = (ctx: SignedInCtx, query: TimeQuery, page: Page): Promise<FoundTimes> =>
  find(ctx, { userId: ctx.viewer.id, readableBy: ctx.viewer, ...between(query) }, page)

/**
 * Adds time to an issue. Only administrators may name another account; the name is ignored for other callers. The stored
 * time is the time of entry, also when the request gives `created` (observed).
 */
export async function addTime(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  input: { readonly time: number; readonly user_name?: string | undefined },
): Promise<TrackedTimeRow> {
  refuseNoTracking(ctx)
  const mayForOthers = ctx.rights.isAdmin || ctx.viewer.isAdmin
  const user = mayForOthers && input.user_name ? await getUser(ctx, input.user_name) : ctx.viewer.user
  const by = { ...attributionNow(ctx), doerId: user.id }
  return transaction(ctx.db, async (tx) => {
    const time = await insertTrackedTime(tx, {
      issue_id: issue.id,
      user_id: user.id,
      seconds: input.time,
      created_unix: by.atUnix,
    })
    await insertTimelineEntry(tx, by, issue.id, {
      type: 'add_time_manual',
      content: durationText(input.time),
      time_id: time.id,
    })
    await touchIssues(tx, [issue.id], by.atUnix)
    return time
  })
}

/** Deletes the times that the caller tracked on an issue. @throws NotFound when there are none */
export async function resetTimes(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  refuseNoTracking(ctx)
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const gone = await deleteTimesOf(tx, issue.id, ctx.viewer.id)
    if (gone.length === 0) throw new NotFound('no time is tracked here', 'time_not_found')
    const seconds = gone.reduce((sum, time) => sum + time.seconds, 0)
    await insertTimelineEntry(tx, by, issue.id, { type: 'delete_time_manual', content: durationText(seconds) })
    await touchIssues(tx, [issue.id], by.atUnix)
  })
}

/**
 * Returns a tracked time of an issue.
 * @throws NotFound when it does not exist
 */
export async function getTime(ctx: SignedInRepoCtx, issue: IssueRow, id: TrackedTimeId): Promise<TrackedTimeRow> {
  const time = await findTime(ctx.db, issue.id, id)
  if (!time) throw new NotFound('the tracked time does not exist', 'time_not_found')
  return time
}

export async function removeTime(ctx: SignedInRepoCtx, issue: IssueRow, time: TrackedTimeRow): Promise<void> {
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    if (!(await deleteTime(tx, time.id))) throw new NotFound('the tracked time does not exist', 'time_not_found')
    await insertTimelineEntry(tx, by, issue.id, { type: 'delete_time_manual', content: durationText(time.seconds) })
    await touchIssues(tx, [issue.id], by.atUnix)
  })
}

/** Returns the caller's running stopwatch as a list of at most one; empty when they may not read the issue. */
export const getStopwatches = (ctx: SignedInCtx, page: Page): Promise<StopwatchRow[]> =>
  listStopwatches(ctx.db, ctx.viewer, page)
