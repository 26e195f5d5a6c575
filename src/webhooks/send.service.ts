import type { Ctx } from '../access/context.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { NewWebhookAttemptRow, WebhookRow } from '../db/tables/webhooks.ts'
import type { DeliveryId, HookId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { SealError } from '../secrets/secrets.ts'
import { completePayloadOf } from '../payloads/push-payload.ts'
import {
  endOf,
  firstInLineFailures,
  giveUpAfterMs,
  maskedHeaders,
  maskedUrl,
  pauseAfterFailures,
  retryDelayMs,
  withoutSecrets,
  type AttemptEnd,
} from './delivery.rules.ts'
import {
  completePayload,
  findNextDue,
  findSendingHook,
  giveUpWaiting,
  insertAttempts,
  listDue,
  markDelivered,
  markFailed,
  markSkipped,
  type DueDelivery,
  type SendingHook,
} from './delivery.store.ts'
import { outgoingOf, requestFor, type HookRequest } from './hook-request.ts'
import { addressPurpose, sealedFor } from './hook-secrets.ts'
import { updateHook } from './hook.store.ts'
import { takeSenderShare } from './sender-shares.ts'
import { webhookClient } from './webhook-client.ts'

/** When a webhook is to be looked at again, and whether its receiver is well; undefined: nothing waits. */
export type NextLook = { readonly atMs: number; readonly isWell: boolean } | undefined

/** Deliveries that are read at once; the webhook itself is read as often, so a change of it counts soon. */
const batchSize = 20

/** How long one webhook is sent to before others of the pool have their turn, in milliseconds. */
const sliceMs = 10_000

/** How long a webhook waits when its owner has all the senders that one owner gets, in milliseconds. */
const shareWaitMs = 500

/**
 * Sends what waits for a webhook, one after the other in the order of the events. Ends when nothing is left, when its receiver fails
 * (then nothing goes out until the time that is given), or when others are to have their turn.
 */
export async function sendWaiting(ctx: Ctx, hookId: HookId, signal: AbortSignal): Promise<NextLook> {
  const endMs = performance.now() + sliceMs
  for (;;) {
    const hook = await findSendingHook(ctx.db, hookId)
    if (!hook) return undefined
    if (!hook.is_active || ctx.config.security.disableWebhooks) {
      await transaction(ctx.db, (tx) => giveUpWaiting(tx, hook.id, 'the webhook is switched off'))
      return undefined
    }
    const nowMs = ctx.clock.nowMs()
    if (hook.retry_at_ms > nowMs) return { atMs: hook.retry_at_ms, isWell: false }
    using share = takeSenderShare(ctx, hook)
    if (!share) return { atMs: nowMs + shareWaitMs, isWell: hook.failures === 0 }
    const due = await listDue(ctx.db, hook.id, nowMs, batchSize)
    const isWell = await sendBatch(ctx, hook, due, { signal, endMs })
    if (due.length < batchSize || !isWell) return nextLook(ctx, hookId)
    if (signal.aborted || performance.now() > endMs) return { atMs: nowMs, isWell: true }
  }
}

async function nextLook({ db }: Ctx, hookId: HookId): Promise<NextLook> {
  const dueMs = await findNextDue(db, hookId)
  const hook = dueMs === undefined ? undefined : await findSendingHook(db, hookId)
  if (dueMs === undefined || !hook) return undefined
  return { atMs: Math.max(dueMs, hook.retry_at_ms), isWell: hook.failures === 0 }
}

/** @returns false when the receiver failed, and the rest waits */
async function sendBatch(
  ctx: Ctx,
  hook: SendingHook,
  due: readonly DueDelivery[],
  { signal, endMs }: { readonly signal: AbortSignal; readonly endMs: number },
): Promise<boolean> {
  const outcomes = new Outcomes(ctx)
  let failures = hook.failures
  try {
    for (const delivery of due) {
      if (signal.aborted || performance.now() > endMs) return true
      const told = await completed(ctx, delivery)
      const isOverdue = ctx.clock.nowMs() - told.waits_from_ms > giveUpAfterMs
      if (isOverdue && (failures > 0 || told.failures > 0)) {
        outcomes.add({ kind: 'expired', delivery })
        continue
      }
      const outcome = await attempt(ctx, hook, told, signal)
      if (!outcome) return true
      outcomes.add(outcome)
      if (outcome.kind !== 'sent') continue
      if (outcome.end === 'down' || outcome.end === 'gone') {
        await outcomes.written()
        await noteFailure(ctx, hook, outcome)
        return false
      }
      // A refusal is an answer: who gives it is there.
      if (failures > 0) await noteRecovery(ctx, hook)
      failures = 0
    }
    return true
  } finally {
    await outcomes.written()
  }
}

/** The delivery with what had to be read from git; it is kept, so that every attempt says the same. */
async function completed(ctx: Ctx, delivery: DueDelivery): Promise<DueDelivery> {
  if (delivery.pending === null) return delivery
  const data = await completePayloadOf(ctx, delivery.data, delivery.pending)
  await transaction(ctx.db, (tx) => completePayload(tx, delivery.payload_id, data))
  return { ...delivery, data, pending: null }
}

interface Sent {
  readonly kind: 'sent'
  readonly delivery: DueDelivery
  readonly end: AttemptEnd
  readonly status: number | undefined
  readonly problem: string
  readonly row: NewWebhookAttemptRow
}

interface Unsent {
  readonly kind: 'skipped' | 'expired'
  readonly delivery: DueDelivery
}

type Outcome = Sent | Unsent

/** Sends a delivery once. undefined: the program stops, and nobody knows whether it arrived. */
async function attempt(
  ctx: Ctx,
  hook: SendingHook,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const sentMs = ctx.clock.nowMs()
  const beganMs = performance.now()
  const sent = ({ end, status, problem, response }: Answer, request: object): Sent => ({
    kind: 'sent',
    delivery,
    end,
    status,
    problem,
    row: {
      delivery_id: delivery.id,
      sent_ms: sentMs,
      duration_ms: Math.round(performance.now() - beganMs),
      status: status ?? null,
      problem,
      request: JSON.stringify(request),
      response,
    },
  })
  const request = readyRequest(ctx, hook, delivery)
  if (request === 'sealed') {
    const problem = 'the secrets of the webhook cannot be opened: the key of the instance has changed'
    return sent({ end: 'down', status: undefined, problem, response: null }, {})
  }
  if (request === undefined) return { kind: 'skipped', delivery }
  const kept = keptRequest(ctx, request)
  try {
    const reply = await webhookClient.of(ctx).request(request.url, outgoingOf(request, signal))
    const end = endOf(reply.status)
    const problem = end === 'delivered' ? '' : `the receiver answered ${reply.status}`
    const response = JSON.stringify({
      headers: maskedHeaders(reply.headers),
      body: withoutSecrets(reply.body.toString(), request.secrets),
      is_cut: reply.isCut,
    })
    return sent({ end, status: reply.status, problem, response }, kept)
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (signal.aborted) return undefined
    const problem = withoutSecrets(error.message, request.secrets)
    return sent({ end: 'down', status: undefined, problem, response: null }, kept)
  }
}

interface Answer {
  readonly end: AttemptEnd
  readonly status: number | undefined
  readonly problem: string
  readonly response: string | null
}

/** The request; nothing goes out without the secrets that it should have. */
function readyRequest(ctx: Ctx, hook: SendingHook, delivery: DueDelivery): HookRequest | 'sealed' | undefined {
  try {
    return requestFor(ctx, hook, delivery)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return 'sealed'
  }
}

const keptRequest = (ctx: Ctx, { method, url, headers, body, isAdapted, secrets }: HookRequest) => ({
  method,
  url: sealedFor(addressPurpose, ctx, maskedUrl(url)),
  headers: maskedHeaders(headers),
  ...(isAdapted ? { body: withoutSecrets(body, secrets) } : {}),
})

/** The receiver failed: nothing goes out for a while, or, when it is gone for good, ever again. */
async function noteFailure({ db, clock, log }: Ctx, hook: SendingHook, { end, problem }: Sent): Promise<void> {
  const nowMs = clock.nowMs()
  const failures = hook.failures + 1
  const isPaused = failures >= pauseAfterFailures
  await transaction(db, async (tx) => {
    if (end === 'gone') {
      await updateHook(tx, hook.id, { is_active: false, failures: 0, retry_at_ms: 0, paused_unix: 0, problem })
      await giveUpWaiting(tx, hook.id, 'the webhook was switched off: its receiver is gone')
      return
    }
    await updateHook(tx, hook.id, {
      failures,
      retry_at_ms: nowMs + retryDelayMs(failures, Math.random()),
      problem,
      ...(isPaused && hook.paused_unix === 0 ? { paused_unix: nowUnix(clock) } : {}),
    })
  })
  if (end === 'gone') log('info', 'a webhook is switched off: its receiver is gone', { hookId: hook.id })
  else if (failures === pauseAfterFailures) log('info', 'a webhook is paused', { hookId: hook.id, problem })
}

/** The receiver is well again: whatever waits may go. */
const noteRecovery = ({ db }: Ctx, hook: WebhookRow): Promise<unknown> =>
  transaction(db, (tx) => updateHook(tx, hook.id, { failures: 0, retry_at_ms: 0, paused_unix: 0, problem: '' }))

/**
 * Writes down what became of deliveries. What was delivered is written beside the next sending, many at once; should the
 * process die before, it is sent again under the same id.
 */
class Outcomes {
  readonly #ctx: Ctx
  #waiting: Outcome[] = []
  #writing: Promise<void> | undefined

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  add(outcome: Outcome): void {
    this.#waiting.push(outcome)
    this.#writing ??= this.#write()
    // Who waits for the end hears of it.
    this.#writing.catch(() => {})
  }

  /** Resolves when all is written; rejects when it could not be. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const outcomes = this.#waiting
        this.#waiting = []
        await transaction(this.#ctx.db, (tx) => recordOutcomes(tx, outcomes, this.#ctx.clock.nowMs()))
      }
    } finally {
      this.#writing = undefined
    }
  }
}

async function recordOutcomes(tx: Tx, outcomes: readonly Outcome[], nowMs: number): Promise<void> {
  const sent = outcomes.filter((outcome) => outcome.kind === 'sent')
  if (sent.length > 0) {
    await insertAttempts(
      tx,
      sent.map(({ row }) => row),
    )
  }
  const delivered = Map.groupBy(
    sent.filter(({ end }) => end === 'delivered'),
    ({ status }) => status ?? 0,
  )
  for (const [status, some] of delivered) await markDelivered(tx, idsOf(some), status)
  for (const { delivery, end, status, problem } of sent) {
    if (end === 'delivered') continue
    await markFailed(tx, delivery.id, { status, problem, nextMs: nextTry(delivery, end, nowMs) })
  }
  const skipped = idsOf(outcomes.filter(({ kind }) => kind === 'skipped'))
  if (skipped.length > 0) await markSkipped(tx, skipped)
  const expired = outcomes.filter(({ kind }) => kind === 'expired')
  const [first] = expired
  if (first) await giveUpWaiting(tx, first.delivery.hook_id, 'given up: it was tried for a day', idsOf(expired))
}

const idsOf = (outcomes: readonly { readonly delivery: DueDelivery }[]): DeliveryId[] =>
  outcomes.map(({ delivery }) => delivery.id)

/**
 * When a delivery that failed is tried again; undefined: never. One that is refused steps aside. While the receiver is away the
 * webhook as a whole waits, and a delivery steps aside only after many tries: then for longer than the webhook waits, so that others
 * show whether it is this one alone.
 */
function nextTry(delivery: DueDelivery, end: AttemptEnd, nowMs: number): number | undefined {
  if (end === 'gone') return undefined
  const failures = delivery.failures + 1
  const waitMs = retryDelayMs(failures, Math.random())
  if (end === 'refused') return nowMs + waitMs
  return failures >= firstInLineFailures ? nowMs + 2 * waitMs : 0
}
