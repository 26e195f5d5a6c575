import { Type } from 'typebox'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { accepted, paged } from '../../http/reply.ts'
import { enumeration, pageQuery, pathNumber } from '../../http/schema.ts'
import { BadRequest } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentJobs } from './job.present.ts'
import { BackgroundJob } from './job.schemas.ts'
import { getJobs, removeJob, retryJob } from './job.service.ts'

const State = enumeration('waiting', 'running', 'failed')

/** Lists waiting, running and failed background jobs; successful jobs leave no row. Not part of the contract. */
export const adminListJobs = operation({
  method: 'GET',
  path: '/admin/jobs',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: { ...pageQuery, state: Type.Optional(State) },
  reply: { 200: Type.Array(BackgroundJob) },
  summary: 'List background jobs',
  async run({ ctx, query, call }) {
    // Unlike lists of the contract, this one reports unknown values.
    if (query.state === undefined && call.rawQuery.get('state')) throw new BadRequest('unknown state')
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await getJobs(ctx, query.state, page)
    return paged(presentJobs(rows), page, total)
  },
})

export const adminRetryJob = operation({
  method: 'POST',
  path: '/admin/jobs/{id}/retry',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  refuses: [409],
  reply: { 202: Type.Object({}) },
  summary: 'Try a failed background job again',
  async run({ ctx, params }) {
    await retryJob(ctx, params.id)
    return accepted({})
  },
})

export const adminDeleteJob = operation({
  method: 'DELETE',
  path: '/admin/jobs/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  refuses: [409],
  reply: { 204: 'empty' },
  summary: 'Forget a failed background job',
  run: ({ ctx, params }) => removeJob(ctx, params.id),
})
