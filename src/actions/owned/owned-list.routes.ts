import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, type AnyRequirement } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { instanceScope, scopeOfAccount, type QueueScope } from '../queue-scope.ts'
import { presentActionRunners, presentOwnedJobs, presentOwnedRuns } from './owned-list.present.ts'
import { ActionRunners, OwnedJobs, WorkflowRuns } from './owned-list.schemas.ts'
import { ownedJobs, ownedRunners, ownedRuns } from './owned-list.service.ts'

interface ListHolder<Rs extends readonly AnyRequirement[]> extends Holder<Rs, QueueScope> {
  /** Whose repositories they are, for the API description. */
  readonly whose: string
}

const status = Type.Optional(Type.Array(Type.String()))

/** Declares the lists of runs, jobs and runners of a holder, at the addresses of Gitea 1.27. */
function listsOf<const Rs extends readonly AnyRequirement[]>({ whose, ...holder }: ListHolder<Rs>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const runs = operation({
    method: 'GET',
    path: `${path}/runs`,
    cost: 'usual',
    scope,
    requires,
    query: { ...pageQuery, status, event: Type.Optional(Type.Array(Type.String())) },
    reply: { 200: WorkflowRuns },
    summary: `List the workflow runs of ${whose}, the newest first`,
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { rows, total, isBounded } = await ownedRuns(ctx, ownerOf(ctx), query, page)
      const body = { workflow_runs: await presentOwnedRuns(ctx, rows), total_count: total }
      return paged(body, page, total, { shown: rows.length, bound: isBounded ? 'total' : undefined })
    },
  })
  const jobs = operation({
    method: 'GET',
    path: `${path}/jobs`,
    cost: 'usual',
    scope,
    requires,
    query: { ...pageQuery, status },
    reply: { 200: OwnedJobs },
    summary: `List the jobs of workflow runs of ${whose}, the newest first`,
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { rows, total, isBounded } = await ownedJobs(ctx, ownerOf(ctx), query, page)
      const body = { jobs: await presentOwnedJobs(ctx, rows), total_count: total }
      return paged(body, page, total, { shown: rows.length, bound: isBounded ? 'total' : undefined })
    },
  })
  const runners = operation({
    method: 'GET',
    path: `${path}/runners`,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: ActionRunners },
    summary: `List the runners of ${whose}, the newest first`,
    async run({ ctx, query }) {
      const page = pageOf(query, ctx.config.api)
      const { runners: rows, total, busy } = await ownedRunners(ctx, ownerOf(ctx), page)
      const body = { runners: presentActionRunners(rows, busy, ctx.clock.nowMs()), total_count: total }
      return paged(body, page, total, { shown: rows.length })
    },
  })
  return { runs, jobs, runners }
}

export const {
  runs: userListWorkflowRuns,
  jobs: userListWorkflowJobs,
  runners: userListActionRunners,
} = listsOf({
  path: '/user/actions',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => scopeOfAccount(viewer.id),
  whose: 'the account',
})

export const {
  runs: orgListWorkflowRuns,
  jobs: orgListWorkflowJobs,
  runners: orgListActionRunners,
} = listsOf({
  path: '/orgs/{org}/actions',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  ownerOf: ({ org }) => scopeOfAccount(org.id),
  whose: 'an organization',
})

export const {
  runs: adminListWorkflowRuns,
  jobs: adminListWorkflowJobs,
  runners: adminListActionRunners,
} = listsOf({
  path: '/admin/actions',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  ownerOf: () => instanceScope,
  whose: 'the instance',
})
