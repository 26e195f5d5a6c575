import { Type } from 'typebox'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { resolveVisibleAccount } from '../../access/named-account.ts'
import { inRepo, issuesEnabled, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, headersOfCut, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber, pathText } from '../../http/schema.ts'
import { Forbidden, Invalid } from '../../lib/errors.ts'
import type { TrackedTimeId } from '../../lib/ids.ts'
import { pageOf, pageOrWhole } from '../../lib/paging.ts'
import { formatUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { optionalTime } from '../due-date.rules.ts'
import { mayManage } from '../issue.policy.ts'
import { getReadableIssue } from '../issue.service.ts'
import { cancelWatch, startWatch, stopWatch } from './stopwatch.service.ts'
import { presentStopwatches, presentTimes } from './time.present.ts'
import { AddTimeOption, StopWatch, TrackedTime } from './time.schemas.ts'
import {
  addTime,
  getOwnTimes,
  getStopwatches,
  getTime,
  getTimesOfIssue,
  getTimesOfRepo,
  getTimesOfUser,
  mayTrack,
  isTrackingOn,
  noUser,
  refuseNoTracking,
  removeTime,
  resetTimes,
} from './time.service.ts'

const timeQuery = { since: Type.Optional(Type.String()), before: Type.Optional(Type.String()), ...pageQuery } as const
const userTimeQuery = { user: Type.Optional(Type.String()), ...timeQuery } as const

export const issueTrackedTimes = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/times',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  query: userTimeQuery,
  reply: { 200: Type.Array(TrackedTime) },
  summary: 'List the times tracked on an issue',
  async run({ ctx, params, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getTimesOfIssue(ctx, await getReadableIssue(ctx, params.index), query, page)
    return paged(await presentTimes(ctx, rows, [ctx]), page, total, { link: false })
  },
})

/** With time tracking on, refuses accounts that may not track time; otherwise the service refuses the change. */
async function refuseUntracked(ctx: SignedInRepoCtx, issue: IssueRow): Promise<void> {
  if (!isTrackingOn(ctx) || (await mayTrack(ctx, issue))) return
  throw new Forbidden('only people who may track time on the issue may do this', 'time_not_allowed')
}

function refuseStopwatch(ctx: SignedInRepoCtx, issue: IssueRow): void {
  must(mayManage(ctx.rights, issue))
  if (!isTrackingOn(ctx)) throw new Forbidden('the repository does not track time', 'time_tracking_disabled')
}

export const issueAddTime = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/times',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: AddTimeOption,
  reply: { 200: TrackedTime },
  summary: 'Track time on an issue',
  async run({ ctx, params, body }) {
    if (body.time === 0) throw new Invalid('[time]: is required', 'invalid', { field: 'time' })
    const createdUnix = optionalTime(body.created, 'created')
    const issue = await getReadableIssue(ctx, params.index)
    await refuseUntracked(ctx, issue)
    const row = await addTime(ctx, issue, body)
    // Another account's time is presented as that account sees the caller (observed).
    const viewer = row.user_id === ctx.viewer.id ? ctx.viewer : { ...ctx.viewer, id: row.user_id, isAdmin: false }
    const [time] = await presentTimes({ ...ctx, viewer }, [row], [ctx])
    // The answer repeats the time of the request, which lists do not show (observed).
    return ok({ ...(time as TrackedTime), ...(createdUnix === 0 ? {} : { created: formatUnix(createdUnix) }) })
  },
})

export const issueResetTime = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/times',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 204: 'empty' },
  summary: "Take the caller's times off an issue",
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    await refuseUntracked(ctx, issue)
    await resetTimes(ctx, issue)
  },
})

export const issueDeleteTime = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/times/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 204: 'empty' },
  summary: 'Take one time off an issue',
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    await refuseUntracked(ctx, issue)
    const time = await getTime(ctx, issue, params.id as TrackedTimeId)
    if (time.user_id !== ctx.viewer.id && !ctx.viewer.isAdmin) {
      throw new Forbidden('only the person who tracked the time may delete it', 'time_of_other')
    }
    await removeTime(ctx, issue, time)
  },
})

export const repoTrackedTimes = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/times',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, issuesEnabled, signedIn],
  query: userTimeQuery,
  reply: { 200: Type.Array(TrackedTime) },
  summary: 'List the times tracked in a repository',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getTimesOfRepo(ctx, query, page)
    return paged(await presentTimes(ctx, rows, [ctx]), page, total, { link: false })
  },
})

export const userTrackedTimes = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/times/{timetrackingusername}',
  cost: 'usual',
  params: { timetrackingusername: pathText },
  scope: 'repository',
  requires: [inRepo, issuesEnabled, signedIn],
  reply: { 200: Type.Array(TrackedTime) },
  summary: 'List the times that an account tracked in a repository',
  deprecated: true,
  async run({ ctx, params, call }) {
    refuseNoTracking(ctx)
    const parameter = { parameter: 'timetrackingusername', name: params.timetrackingusername, missing: noUser }
    const user = await resolveVisibleAccount(ctx, call, parameter)
    const { rows, total } = await getTimesOfUser(ctx, user, pageOrWhole({}, ctx.config.api))
    return ok(await presentTimes(ctx, rows, [ctx]), headersOfCut(total > rows.length))
  },
})

export const userCurrentTrackedTimes = operation({
  method: 'GET',
  path: '/user/times',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  query: timeQuery,
  reply: { 200: Type.Array(TrackedTime) },
  summary: "List the caller's tracked times",
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getOwnTimes(ctx, query, page)
    return paged(await presentTimes(ctx, rows), page, total, { link: false })
  },
})

export const userGetStopWatches = operation({
  method: 'GET',
  path: '/user/stopwatches',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(StopWatch) },
  summary: "List the caller's running stopwatches",
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const rows = await getStopwatches(ctx, { ...page, offset: 0 })
    return paged(await presentStopwatches(ctx, page.number === 1 ? rows : []), page, rows.length, { link: false })
  },
})

/** Declares an operation that starts or stops the caller's stopwatch on an issue. */
const stopwatchOperation = (act: 'start' | 'stop', summary: string) =>
  operation({
    method: 'POST',
    path: `/repos/{username}/{reponame}/issues/{index}/stopwatch/${act}`,
    cost: 'usual',
    params: { index: pathNumber },
    scope: 'issue',
    requires: [inRepo, issuesOrPullsEnabled, signedIn],
    refuses: [409],
    reply: { 201: 'empty' },
    summary,
    async run({ ctx, params }) {
      const issue = await getReadableIssue(ctx, params.index)
      refuseStopwatch(ctx, issue)
      await (act === 'start' ? startWatch : stopWatch)(ctx, issue)
      return created(undefined)
    },
  })

export const issueStartStopWatch = stopwatchOperation('start', 'Start a stopwatch on an issue')
export const issueStopStopWatch = stopwatchOperation('stop', 'Stop the stopwatch on an issue and track its time')

export const issueDeleteStopWatch = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/stopwatch/delete',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  refuses: [409],
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 204: 'empty' },
  summary: 'Take the stopwatch off an issue without tracking its time',
  async run({ ctx, params }) {
    const issue = await getReadableIssue(ctx, params.index)
    refuseStopwatch(ctx, issue)
    await cancelWatch(ctx, issue)
  },
})
