import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { canRead, gitRepo, inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { headersOfCut, ok } from '../../http/reply.ts'
import { nullable, pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { instanceScope, scopeOfAccount, scopeOfRepo, type QueueScope } from '../queue-scope.ts'
import { presentJobs, presentRun, presentRuns, presentTasks } from './run.present.ts'
import { ActionRunJob, ActionTaskResponse, ListRepoActionRunResponse, RepoActionRun } from './run.schemas.ts'
import { findOpenJobs, getRun, pageOfRuns, pageOfTasks } from './run.service.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const

export const listActionRuns = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runs',
  scope: 'repository',
  requires: readable,
  query: {
    ...pageQuery,
    event: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(Type.Array(Type.String())),
    run_number: Type.Optional(Type.Integer()),
    head_sha: Type.Optional(Type.String()),
  },
  reply: { 200: ListRepoActionRunResponse },
  async run({ ctx, query }) {
    const wanted = {
      events: query.event ?? [],
      statuses: query.status ?? [],
      number: query.run_number,
      sha: query.head_sha || undefined,
    }
    const { rows, total } = await pageOfRuns(ctx, wanted, pageOf(query, ctx.config.api))
    return ok({ workflow_runs: await presentRuns(ctx, rows), total_count: total })
  },
})

export const actionRun = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}',
  params: { run_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: RepoActionRun },
  run: async ({ ctx, params }) => ok(await presentRun(ctx, await getRun(ctx, params.run_id))),
})

export const listActionTasks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/tasks',
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: ActionTaskResponse },
  async run({ ctx, query }) {
    const { rows, total } = await pageOfTasks(ctx, pageOf(query, ctx.config.api))
    return ok({ workflow_runs: presentTasks(ctx, rows), total_count: total })
  },
})

/** Labels are separated by commas and keep their blanks (observed). The reply is null when no job matches (observed). */
const labelsQuery = { labels: Type.Optional(Type.String()) }
const jobsReply = { 200: nullable(Type.Array(ActionRunJob)) }

async function answerJobs(services: Services, scope: QueueScope, labels: string | undefined) {
  const { jobs, isCut } = await findOpenJobs(services, scope, (labels ?? '').split(','))
  return ok(jobs.length === 0 ? null : presentJobs(jobs), headersOfCut(isCut))
}

export const repoSearchRunJobs = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runners/jobs',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  query: labelsQuery,
  reply: jobsReply,
  run: ({ ctx, query }) => answerJobs(ctx, scopeOfRepo(ctx.repo.id), query.labels),
})

export const orgSearchRunJobs = operation({
  method: 'GET',
  path: '/orgs/{org}/actions/runners/jobs',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  query: labelsQuery,
  reply: jobsReply,
  run: ({ ctx, query }) => answerJobs(ctx, scopeOfAccount(ctx.org.id), query.labels),
})

export const userSearchRunJobs = operation({
  method: 'GET',
  path: '/user/actions/runners/jobs',
  scope: 'user',
  requires: [signedIn],
  query: labelsQuery,
  reply: jobsReply,
  run: ({ ctx, query }) => answerJobs(ctx, scopeOfAccount(ctx.viewer.id), query.labels),
})

export const adminSearchRunJobs = operation({
  method: 'GET',
  path: '/admin/runners/jobs',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: labelsQuery,
  reply: jobsReply,
  run: ({ ctx, query }) => answerJobs(ctx, instanceScope, query.labels),
})
