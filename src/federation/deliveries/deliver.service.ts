import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { ActivityDeliveryRow, FederatedServerRow } from '../../db/tables/federation.ts'
import type { ServerId } from '../../lib/ids.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { activityType } from '../address.rules.ts'
import { federationClient, isServerAllowed } from '../federation-client.ts'
import { findServer, updateServer } from '../peers/server.store.ts'
import { signedHeaders } from '../signatures/sign.service.ts'
import {
  resultOf,
  giveUpAfterMs,
  maxAttempts,
  refusalWaitMs,
  serverWaitMs,
  type DeliveryResult,
} from './delivery.rules.ts'
import {
  deleteAllDeliveries,
  deleteDelivery,
  deleteOverdue,
  findNextDelivery,
  listDeliveries,
  postponeDelivery,
} from './delivery.store.ts'

/** When the job runs next for a server, and in which pool; undefined when no activity waits. */
export type NextRun = { readonly atMs: number; readonly isHealthy: boolean } | undefined

/** Activities read at once. The server is read again for each batch, so that a change of it takes effect soon. */
const batchSize = 20

/** Time that one run may spend on a server before it yields its worker, in milliseconds. */
const runMs = 10_000

/** Most bytes of an answer that are read; only its status matters. */
const maxAnswerBytes = 16_384

/** Sends the waiting activities of a server, oldest first. Stops when none is left, when the server fails, or after `runMs`. */
export async function sendWaiting(ctx: Ctx, serverId: ServerId, signal: AbortSignal): Promise<NextRun> {
  const endMs = performance.now() + runMs
  for (;;) {
    const server = await findServer(ctx.db, serverId)
    if (!server) return undefined
    if (!ctx.config.federation.enabled || !isServerAllowed(ctx.config, new URL(server.origin).hostname)) {
      await transaction(ctx.db, (tx) => deleteAllDeliveries(tx, server.id))
      return undefined
    }
    const nowMs = ctx.clock.nowMs()
    if (server.retry_at_ms > nowMs) return { atMs: server.retry_at_ms, isHealthy: false }
    const due = await listDeliveries(ctx.db, server.id, nowMs, batchSize)
    if (due.length === 0) return nextRun(ctx, server, nowMs)
    for (const delivery of due) {
      if (signal.aborted || performance.now() > endMs) return { atMs: nowMs, isHealthy: server.failures === 0 }
      const outcome = await sendOne(ctx, server, delivery, signal)
      if (outcome === 'stopped') return { atMs: nowMs, isHealthy: server.failures === 0 }
      if (outcome.result === 'down') return await recordFailure(ctx, server, outcome.problem)
      await recordSent(ctx, server, delivery, outcome)
      server.failures = 0
    }
  }
}

async function nextRun({ db }: Ctx, { id, failures }: FederatedServerRow, nowMs: number): Promise<NextRun> {
  const atMs = await findNextDelivery(db, id, nowMs)
  return atMs === undefined ? undefined : { atMs, isHealthy: failures === 0 }
}

interface Outcome {
  readonly result: DeliveryResult
  readonly problem: string
  readonly form: FederatedServerRow['signature_form']
}

/** Sends an activity once, and again with a cavage signature when the refusal may be due to the RFC 9421 form. */
async function sendOne(
  ctx: Ctx,
  server: FederatedServerRow,
  delivery: ActivityDeliveryRow,
  signal: AbortSignal,
): Promise<Outcome | 'stopped'> {
  const forms = server.signature_form === 'rfc9421' ? (['rfc9421', 'cavage'] as const) : (['cavage'] as const)
  let problem = ''
  for (const form of forms) {
    try {
      const status = await post(ctx, delivery, form, signal)
      const result = resultOf(status)
      problem = `the server answered ${status}`
      if (result !== 'unsigned') return { result, problem, form: result === 'accepted' ? form : server.signature_form }
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      // The activity may have arrived; it is sent again.
      if (signal.aborted) return 'stopped'
      const isUsable = error.reason !== 'bad_url' && error.reason !== 'refused_address'
      return { result: isUsable ? 'down' : 'refused', problem: error.message, form: server.signature_form }
    }
  }
  return { result: 'unsigned', problem, form: server.signature_form }
}

async function post(
  ctx: Ctx,
  { inbox_url: url, sender_id: senderId, body }: ActivityDeliveryRow,
  form: FederatedServerRow['signature_form'],
  signal: AbortSignal,
): Promise<number> {
  const bytes = Buffer.from(body)
  const signed = await signedHeaders(ctx, { method: 'POST', url, body: bytes, sender: senderId ?? 'instance', form })
  const { status } = await federationClient.of(ctx).request(url, {
    method: 'POST',
    headers: { ...signed, 'content-type': activityType },
    body: bytes,
    signal,
    maxBodyBytes: maxAnswerBytes,
    whenTooLarge: 'cut',
  })
  return status
}

async function recordSent(
  { db, log, clock }: Ctx,
  server: FederatedServerRow,
  { id, attempts }: ActivityDeliveryRow,
  { result, problem, form }: Outcome,
): Promise<void> {
  const isPostponed = result === 'unsigned' && attempts + 1 < maxAttempts
  await transaction(db, async (tx) => {
    if (isPostponed) await postponeDelivery(tx, id, clock.nowMs() + refusalWaitMs(attempts + 1))
    else await deleteDelivery(tx, id)
    // A refusal also shows that the server works.
    if (server.failures > 0 || form !== server.signature_form) {
      await updateServer(tx, server.id, { failures: 0, retry_at_ms: 0, problem: '', signature_form: form })
    }
  })
  if (result === 'accepted' || isPostponed) return
  log('info', 'another server refused an activity', { server: server.origin, problem })
}

/** Backs off from a server that failed, and deletes overdue activities. */
async function recordFailure(ctx: Ctx, server: FederatedServerRow, problem: string): Promise<NextRun> {
  const nowMs = ctx.clock.nowMs()
  const failures = server.failures + 1
  const atMs = nowMs + serverWaitMs(failures, Math.random())
  const { maxBacklog } = ctx.config.federation
  const givenUp = await transaction(ctx.db, async (tx) => {
    await updateServer(tx, server.id, { failures, retry_at_ms: atMs, problem })
    return deleteOverdue(tx, server.id, nowMs - giveUpAfterMs, maxBacklog)
  })
  if (givenUp > 0) {
    ctx.log('info', 'activities given up: the server could not be reached', { server: server.origin, givenUp, problem })
  }
  return { atMs, isHealthy: false }
}
