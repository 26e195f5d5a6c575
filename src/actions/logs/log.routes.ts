import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { contentDisposition } from '../../http/file-reply.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { followLog, getJobAt, getLog, linesOf } from './log-page.service.ts'
import { LogLines } from './log.schemas.ts'
import { logStream } from './log.service.ts'
import { getJob } from '../runs/run-control.service.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const
const jobPath = { params: { job_id: pathNumber }, scope: 'repository', requires: readable } as const
const plain = 'text/plain; charset=utf-8'

async function download(ctx: RepoCtx, { job, run }: { readonly job: ActionJobRow; readonly run: ActionRunRow }) {
  const { task, fileName } = await getLog(ctx, job, run)
  return bytes(plain, logStream(ctx, task), {
    headers: { 'content-disposition': contentDisposition('attachment', fileName) },
  })
}

/** Downloads the log of a job from the web address of the job. */
export const downloadJobLog = operation({
  method: 'GET',
  path: '/{username}/{reponame}/actions/runs/{number}/jobs/{position}/logs',
  cost: 'usual',
  params: { number: pathNumber, position: pathNumber },
  base: 'site',
  family: 'downloads',
  scope: 'repository',
  requires: readable,
  reply: { 200: bytesOf('text/plain') },
  run: async ({ ctx, params }) => download(ctx, await getJobAt(ctx, params.number, params.position)),
})

export const downloadWorkflowJobLog = operation({
  ...jobPath,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/logs',
  cost: 'usual',
  reply: { 200: bytesOf('text/plain') },
  summary: 'Download the log of a job',
  run: async ({ ctx, params }) => download(ctx, await getJob(ctx, params.job_id)),
})

/** Returns lines of a log, such as those of a step. */
export const listWorkflowJobLogLines = operation({
  ...jobPath,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/logs/lines',
  cost: 'expensive',
  query: { from: Type.Optional(Type.Integer({ minimum: 0 })), limit: Type.Optional(Type.Integer({ minimum: 1 })) },
  reply: { 200: LogLines },
  summary: 'List lines of the log of a job',
  async run({ ctx, params, query }) {
    const { job, run } = await getJob(ctx, params.job_id)
    const { task } = await getLog(ctx, job, run)
    const { lines, next, isComplete } = await linesOf(ctx, task, query.from ?? 0, query.limit)
    return ok({ lines: [...lines], next, is_whole: isComplete })
  },
})

/** Streams a growing log as server-sent events, until the log is complete. */
export const streamWorkflowJobLog = operation({
  ...jobPath,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/logs/stream',
  cost: 'usual',
  query: { from: Type.Optional(Type.Integer({ minimum: 0 })) },
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Follow the log of a job',
  async run({ ctx, params, query, call }) {
    const { job, run } = await getJob(ctx, params.job_id)
    const { task } = await getLog(ctx, job, run)
    const after = call.headers['last-event-id']
    const from = typeof after === 'string' && /^\d{1,10}$/.test(after) ? Number(after) : (query.from ?? 0)
    async function* messages(signal: AbortSignal): AsyncGenerator<StreamMessage> {
      for await (const { lines, next } of followLog(ctx, task, from, signal)) {
        yield { event: 'lines', id: String(next), data: { lines, next } }
      }
      if (!signal.aborted) yield { event: 'end', data: {} }
    }
    return eventStream(messages, call)
  },
})
