import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { canRead, gitRepo, inRepo, repoOwner } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, type AnyRequirement } from '../../http/operation.ts'
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
  cost: 'usual',
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
  summary: 'List the workflow runs of a repository',
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
  cost: 'usual',
  params: { run_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: RepoActionRun },
  summary: 'Get a workflow run',
  run: async ({ ctx, params }) => ok(await presentRun(ctx, await getRun(ctx, params.run_id))),
})

export const listActionTasks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/tasks',
  cost: 'usual',
  scope: 'repository',
  refuses: [409],
  requires: readable,
  query: pageQuery,
  reply: { 200: ActionTaskResponse },
  summary: 'List the workflow tasks of a repository',
  async run({ ctx, query }) {
    const { rows, total } = await pageOfTasks(ctx, pageOf(query, ctx.config.api))
    return ok({ workflow_runs: presentTasks(ctx, rows), total_count: total })
  },
})

/** Declares the search for the jobs that runners of a holder can take. */
const jobSearch = <const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, QueueScope>) => {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  return operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    // Labels are separated by commas and keep their blanks (observed). The reply is null when no job matches (observed).
    query: { labels: Type.Optional(Type.String()) },
    reply: { 200: nullable(Type.Array(ActionRunJob)) },
    summary: 'Search the jobs that wait for runners',
    async run({ ctx, query }) {
      const { jobs, isCut } = await findOpenJobs(ctx, ownerOf(ctx), (query.labels ?? '').split(','))
      return ok(jobs.length === 0 ? null : presentJobs(jobs), headersOfCut(isCut))
    },
  })
}

export const repoSearchRunJobs = jobSearch({
  path: '/repos/{username}/{reponame}/actions/runners/jobs',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  ownerOf: ({ repo }) => scopeOfRepo(repo.id),
})

export const orgSearchRunJobs = jobSearch({
  path: '/orgs/{org}/actions/runners/jobs',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: ({ org }) => scopeOfAccount(org.id),
})

export const userSearchRunJobs = jobSearch({
  path: '/user/actions/runners/jobs',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => scopeOfAccount(viewer.id),
})

export const adminSearchRunJobs = jobSearch({
  path: '/admin/runners/jobs',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  ownerOf: () => instanceScope,
})
