import type { Cost } from '../../admission/requests.ts'
import { anyone } from '../../access/requirements.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation, type AnyRequirement, type Call } from '../../http/operation.ts'
import { bytes, type StreamReply } from '../../http/reply.ts'
import type { answerCall, Caller } from './router.ts'
import { connectErrors } from './connect-errors.ts'
import { byRunner, speaksConnect } from './runner.requirements.ts'

/** Largest body, in bytes: a report of a hundred of the longest log lines. */
const maxBodyBytes = 8 * 1024 * 1024

/** The protocol encodes the bodies of all statuses, errors included. */
const replies = {
  200: bytesOf('*/*'),
  400: bytesOf('*/*'),
  401: bytesOf('*/*'),
  403: bytesOf('*/*'),
  404: bytesOf('*/*'),
  408: bytesOf('*/*'),
  409: bytesOf('*/*'),
  413: bytesOf('*/*'),
  415: bytesOf('*/*'),
  429: bytesOf('*/*'),
  500: bytesOf('*/*'),
  501: bytesOf('*/*'),
  503: bytesOf('*/*'),
} as const

/** Loaded with the first call: an instance without runners does not need the protocol library. */
let loading: Promise<{ readonly answerCall: typeof answerCall }> | undefined

async function answer(caller: Caller, path: string, call: Call): Promise<StreamReply<keyof typeof replies>> {
  // Kept, because each dynamic import looks up the module again, and runners call often.
  loading ??= import('./router.ts')
  const router = await loading
  const { status, header, body } = await router.answerCall(
    {
      path,
      headers: { ...call.headers, 'content-type': contentTypeOf(call) },
      body: await call.wholeBody(),
      signal: AbortSignal.any([call.signal, call.stopping]),
    },
    caller,
  )
  const parts: Uint8Array[] = []
  if (body) for await (const part of body) parts.push(part)
  const headers = Object.fromEntries(header ?? [])
  const { 'content-type': contentType = 'application/json', ...others } = headers
  return bytes(contentType, Buffer.concat(parts), { status: status as keyof typeof replies, headers: others })
}

const method = (path: string, requires: readonly [AnyRequirement, ...AnyRequirement[]], cost: Cost = 'usual') =>
  operation({
    method: 'POST',
    path: `/api/actions${path}`,
    cost,
    base: 'site',
    family: 'runner',
    scope: null,
    accepts: ['runner'],
    errors: connectErrors,
    requires,
    body: bytesOf('*/*'),
    maxBodyBytes,
    reply: replies,
    run: ({ ctx, call }) => answer({ ...(ctx as Partial<Caller>), ctx: ctx as Caller['ctx'] }, path, call),
  })

export const runnerPing = method('/ping.v1.PingService/Ping', [speaksConnect, anyone])
export const runnerRegister = method('/runner.v1.RunnerService/Register', [speaksConnect, anyone])
export const runnerDeclare = method('/runner.v1.RunnerService/Declare', [speaksConnect, byRunner])
export const runnerFetchTask = method('/runner.v1.RunnerService/FetchTask', [speaksConnect, byRunner], 'waiting')
export const runnerUpdateTask = method('/runner.v1.RunnerService/UpdateTask', [speaksConnect, byRunner])
export const runnerUpdateLog = method('/runner.v1.RunnerService/UpdateLog', [speaksConnect, byRunner])
