import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { ActivityDeliveryRow, FederatedServerRow } from '../../db/tables/federation.ts'
import type { ServerId } from '../../lib/ids.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { activityType } from '../address.rules.ts'
import { federationClient, isServerAllowed } from '../federation-client.ts'
import { findServer, updateServer } from '../peers/server.store.ts'
import { signedHeaders } from '../signatures/sign.service.ts'
import { endOf, giveUpAfterMs, maxAttempts, refusalWaitMs, serverWaitMs, type DeliveryEnd } from './delivery.rules.ts'
import {
  deleteAllDeliveries,
  deleteDeliveries,
  deleteOverdue,
  findNextDelivery,
  listDeliveries,
  postponeDelivery,
} from './delivery.store.ts'

/** When a server is to be looked at again, and whether it is well; undefined: nothing waits. */
export type NextLook = { readonly atMs: number; readonly isWell: boolean } | undefined

/** Activities that are read at once; the server itself is read as often, so a change of it counts soon. */
const batchSize = 20

/** How long one server is sent to before others have their turn, in milliseconds. */
const sliceMs = 10_000

/** Most of an answer that is read, in bytes: its status is what counts. */
const maxAnswerBytes = 16_384

/**
 * Sends what waits for a server, one after the other, the oldest first. Ends when nothing is left, when the server is not to be
 * reached (then nothing goes out until the time that is given), or when others are to have their turn.
 */
export async function sendWaiting(ctx: Ctx, serverId: ServerId, signal: AbortSignal): Promise<NextLook> {
  const endMs = performance.now() + sliceMs
  for (;;) {
    const server = await findServer(ctx.db, serverId)
    if (!server) return undefined
    if (!ctx.config.federation.enabled || !isServerAllowed(ctx.config, new URL(server.origin).hostname)) {
      await transaction(ctx.db, (tx) => deleteAllDeliveries(tx, server.id))
      return undefined
    }
    const nowMs = ctx.clock.nowMs()
    if (server.retry_at_ms > nowMs) return { atMs: server.retry_at_ms, isWell: false }
    const due = await listDeliveries(ctx.db, server.id, nowMs, batchSize)
    if (due.length === 0) return nextLook(ctx, server, nowMs)
    for (const delivery of due) {
      if (signal.aborted || performance.now() > endMs) return { atMs: nowMs, isWell: server.failures === 0 }
      const outcome = await sendOne(ctx, server, delivery, signal)
      if (outcome === 'stopped') return { atMs: nowMs, isWell: server.failures === 0 }
      if (outcome.end === 'down') return await noteFailure(ctx, server, outcome.problem)
      await noteSent(ctx, server, delivery, outcome)
      server.failures = 0
    }
  }
}

async function nextLook({ db }: Ctx, { id, failures }: FederatedServerRow, nowMs: number): Promise<NextLook> {
  const atMs = await findNextDelivery(db, id, nowMs)
  return atMs === undefined ? undefined : { atMs, isWell: failures === 0 }
}

interface Outcome {
  readonly end: DeliveryEnd
  readonly problem: string
  readonly form: FederatedServerRow['signature_form']
}

/** Sends an activity once, and again with a signature of the older form when the newer one may be why it is refused. */
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
      const end = endOf(status)
      problem = `the server answered ${status}`
      if (end !== 'unsigned') return { end, problem, form: end === 'taken' ? form : server.signature_form }
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      // Nobody knows whether it arrived: it is sent again.
      if (signal.aborted) return 'stopped'
      const isUsable = error.reason !== 'bad_url' && error.reason !== 'refused_address'
      return { end: isUsable ? 'down' : 'refused', problem: error.message, form: server.signature_form }
    }
  }
  return { end: 'unsigned', problem, form: server.signature_form }
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

async function noteSent(
  { db, log, clock }: Ctx,
  server: FederatedServerRow,
  { id, attempts }: ActivityDeliveryRow,
  { end, problem, form }: Outcome,
): Promise<void> {
  const isPostponed = end === 'unsigned' && attempts + 1 < maxAttempts
  await transaction(db, async (tx) => {
    if (isPostponed) await postponeDelivery(tx, id, clock.nowMs() + refusalWaitMs(attempts + 1))
    else await deleteDeliveries(tx, [id])
    // An answer is an answer, a refusal as well: the server is there.
    if (server.failures > 0 || form !== server.signature_form) {
      await updateServer(tx, server.id, { failures: 0, retry_at_ms: 0, problem: '', signature_form: form })
    }
  })
  if (end === 'taken' || isPostponed) return
  log('info', 'another server refused an activity', { server: server.origin, problem })
}

/** The server failed: nothing goes out for a while, and what has waited for too long is given up. */
async function noteFailure(ctx: Ctx, server: FederatedServerRow, problem: string): Promise<NextLook> {
  const nowMs = ctx.clock.nowMs()
  const failures = server.failures + 1
  const atMs = nowMs + serverWaitMs(failures, Math.random())
  const { maxBacklog } = ctx.config.federation
  const givenUp = await transaction(ctx.db, async (tx) => {
    await updateServer(tx, server.id, { failures, retry_at_ms: atMs, problem })
    return deleteOverdue(tx, server.id, nowMs - giveUpAfterMs, maxBacklog)
  })
  if (givenUp > 0) ctx.log('info', 'activities were given up', { server: server.origin, givenUp, problem })
  return { atMs, isWell: false }
}
