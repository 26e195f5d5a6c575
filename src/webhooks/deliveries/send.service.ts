import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { NewWebhookAttemptRow } from '../../db/tables/webhooks.ts'
import type { HookId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { completePayloadOf } from '../../payloads/push-payload.ts'
import { SealError } from '../../secrets/secrets.ts'
import { addressPurpose, sealedFor } from '../hook-secrets.ts'
import { updateHook } from '../hook.store.ts'
import { deliveryRequest, outgoingRequest, type DeliveryRequest } from './delivery-request.ts'
import {
  blockingFailures,
  failuresBeforePause,
  giveUpAfterMs,
  maskedHeaders,
  maskedUrl,
  resultOf,
  retryDelayMs,
  withoutSecrets,
  type AttemptResult,
} from './delivery.rules.ts'
import {
  completePayload,
  failWaiting,
  findNextDue,
  findSendingHook,
  insertAttempt,
  listDue,
  markDelivered,
  markFailed,
  markSkipped,
  type DueDelivery,
  type SendingHook,
} from './delivery.store.ts'
import { takeSenderShare } from './sender-shares.ts'
import { webhookClient } from './webhook-client.ts'

/** When the job runs next for a webhook, and in which pool; undefined when no delivery waits. */
export type NextRun = { readonly atMs: number; readonly isHealthy: boolean } | undefined

/** Deliveries read at once. The webhook is read again for each batch, so that a change of it takes effect soon. */
const batchSize = 20

/** Time that one run may spend on a webhook before it yields its worker, in milliseconds. */
const runMs = 10_000

/** Delay of a run whose owner has no free sender, in milliseconds. */
const shareWaitMs = 500

/**
 * Sends the waiting deliveries of a webhook one after the other, in the order of their events. Stops when none is left, when the
 * receiver fails, or after `runMs`.
 */
export async function sendWaiting(ctx: Ctx, hookId: HookId, signal: AbortSignal): Promise<NextRun> {
  const endMs = performance.now() + runMs
  for (;;) {
    const hook = await findSendingHook(ctx.db, hookId)
    if (!hook) return undefined
    if (!hook.is_active || ctx.config.security.disableWebhooks) {
      await transaction(ctx.db, (tx) => failWaiting(tx, hook.id, 'the webhook is switched off'))
      return undefined
    }
    const nowMs = ctx.clock.nowMs()
    if (hook.retry_at_ms > nowMs) return { atMs: hook.retry_at_ms, isHealthy: false }
    using share = takeSenderShare(ctx, hook)
    if (!share) return { atMs: nowMs + shareWaitMs, isHealthy: hook.failures === 0 }
    const due = await listDue(ctx.db, hook.id, nowMs, batchSize)
    const isHealthy = await sendBatch(ctx, hook, due, { signal, endMs })
    if (due.length < batchSize || !isHealthy) return nextRun(ctx, hookId)
    if (signal.aborted || performance.now() > endMs) return { atMs: nowMs, isHealthy: true }
  }
}

async function nextRun({ db }: Ctx, hookId: HookId): Promise<NextRun> {
  const dueMs = await findNextDue(db, hookId)
  const hook = dueMs === undefined ? undefined : await findSendingHook(db, hookId)
  if (dueMs === undefined || !hook) return undefined
  return { atMs: Math.max(dueMs, hook.retry_at_ms), isHealthy: hook.failures === 0 }
}

/** Returns false when the receiver failed and the rest of the batch waits. */
async function sendBatch(
  ctx: Ctx,
  hook: SendingHook,
  due: readonly DueDelivery[],
  { signal, endMs }: { readonly signal: AbortSignal; readonly endMs: number },
): Promise<boolean> {
  let { failures } = hook
  for (const delivery of due) {
    if (signal.aborted || performance.now() > endMs) return true
    const isOverdue = ctx.clock.nowMs() - delivery.waits_from_ms > giveUpAfterMs
    if (isOverdue && (failures > 0 || delivery.failures > 0)) {
      await transaction(ctx.db, (tx) => failWaiting(tx, hook.id, 'given up: retried for 24 hours', delivery.id))
      continue
    }
    const attempt = await send(ctx, hook, await completed(ctx, delivery), signal)
    if (attempt === 'aborted') return true
    if (attempt === 'skipped') {
      await transaction(ctx.db, (tx) => markSkipped(tx, delivery.id))
      continue
    }
    await recordAttempt(ctx, { ...hook, failures }, delivery, attempt)
    if (attempt.result === 'down' || attempt.result === 'gone') return false
    failures = 0
  }
  return true
}

/** Adds to the payload of a push what git says of its commits, and stores it, so that every attempt sends the same. */
async function completed(ctx: Ctx, delivery: DueDelivery): Promise<DueDelivery> {
  if (delivery.pending === null) return delivery
  const data = await completePayloadOf(ctx, delivery.data, delivery.pending)
  await transaction(ctx.db, (tx) => completePayload(tx, delivery.payload_id, data))
  return { ...delivery, data, pending: null }
}

interface Attempt {
  readonly result: AttemptResult
  readonly row: NewWebhookAttemptRow
}

interface Answer {
  readonly result: AttemptResult
  readonly status?: number
  readonly problem: string
  readonly response?: string
}

/**
 * Sends a delivery once. `skipped`: there is nothing to send to a receiver of this type. `aborted`: the server stops, and
 * nobody knows whether the receiver got it.
 */
async function send(
  ctx: Ctx,
  hook: SendingHook,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt | 'skipped' | 'aborted'> {
  const sentMs = ctx.clock.nowMs()
  const beganMs = performance.now()
  const attemptOf = ({ result, status, problem, response }: Answer, request: object): Attempt => ({
    result,
    row: {
      delivery_id: delivery.id,
      sent_ms: sentMs,
      duration_ms: Math.round(performance.now() - beganMs),
      status: status ?? null,
      problem,
      request: JSON.stringify(request),
      response: response ?? null,
    },
  })
  let request: DeliveryRequest | undefined
  try {
    request = deliveryRequest(ctx, hook, delivery)
  } catch (error) {
    // Nothing is sent without the signature or authorization that the receiver expects.
    if (!(error instanceof SealError)) throw error
    const problem = 'the secrets of the webhook cannot be opened: the key of the instance has changed'
    return attemptOf({ result: 'down', problem }, {})
  }
  if (request === undefined) return 'skipped'
  const recorded = recordedRequest(ctx, request)
  try {
    const reply = await webhookClient.of(ctx).request(request.url, outgoingRequest(request, signal))
    const result = resultOf(reply.status)
    const problem = result === 'delivered' ? '' : `the receiver answered ${reply.status}`
    const response = JSON.stringify({
      headers: maskedHeaders(reply.headers),
      body: withoutSecrets(reply.body.toString(), request.secrets),
      is_cut: reply.isCut,
    })
    return attemptOf({ result, status: reply.status, problem, response }, recorded)
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (signal.aborted) return 'aborted'
    return attemptOf({ result: 'down', problem: withoutSecrets(error.message, request.secrets) }, recorded)
  }
}

const recordedRequest = (ctx: Ctx, { method, url, headers, body, isAdapted, secrets }: DeliveryRequest) => ({
  method,
  url: sealedFor(addressPurpose, ctx, maskedUrl(url)),
  headers: maskedHeaders(headers),
  ...(isAdapted ? { body: withoutSecrets(body, secrets) } : {}),
})

/**
 * Writes down an attempt and what follows from it for the delivery and its webhook, in one transaction. When the process dies
 * between the answer and this transaction, the delivery is sent again under the same id.
 */
async function recordAttempt(
  { db, clock, log }: Ctx,
  hook: SendingHook,
  delivery: DueDelivery,
  { result, row }: Attempt,
): Promise<void> {
  const nowMs = clock.nowMs()
  const { problem } = row
  const failures = hook.failures + 1
  await transaction(db, async (tx) => {
    await insertAttempt(tx, row)
    if (result === 'delivered') await markDelivered(tx, delivery.id, row.status ?? 0)
    else {
      await markFailed(tx, delivery.id, {
        status: row.status ?? null,
        problem,
        nextMs: nextAttemptMs(delivery, result, nowMs),
      })
    }
    if (result === 'gone') {
      await updateHook(tx, hook.id, { is_active: false, failures: 0, retry_at_ms: 0, paused_unix: 0, problem })
      await failWaiting(tx, hook.id, 'the webhook was switched off: its receiver answered 410')
    } else if (result === 'down') {
      await updateHook(tx, hook.id, {
        failures,
        retry_at_ms: nowMs + retryDelayMs(failures, Math.random()),
        problem,
        ...(failures >= failuresBeforePause && hook.paused_unix === 0 ? { paused_unix: nowUnix(clock) } : {}),
      })
    } else if (hook.failures > 0) {
      // A refusal of one delivery is an answer too: the receiver works.
      await updateHook(tx, hook.id, { failures: 0, retry_at_ms: 0, paused_unix: 0, problem: '' })
    }
  })
  if (result === 'gone') log('info', 'webhook switched off: its receiver answered 410', { hookId: hook.id })
  if (result === 'down' && failures === failuresBeforePause) log('info', 'webhook paused', { hookId: hook.id, problem })
}

/**
 * Returns when a failed delivery is tried again; undefined: never. A refused delivery waits by itself, the next ones are sent.
 * While the receiver is down the whole webhook waits and the delivery stays first in line; after `blockingFailures` it
 * waits longer than the webhook does, so that the next delivery shows whether only this one fails.
 */
function nextAttemptMs(delivery: DueDelivery, result: AttemptResult, nowMs: number): number | undefined {
  if (result === 'gone') return undefined
  const failures = delivery.failures + 1
  const waitMs = retryDelayMs(failures, Math.random())
  if (result === 'refused') return nowMs + waitMs
  return failures >= blockingFailures ? nowMs + 2 * waitMs : 0
}
