import type { Services } from '../access/context.ts'
import { clockOf } from '../db/clock.ts'
import { transaction } from '../db/database.ts'
import type { DeliveryState, WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../db/tables/webhooks.ts'
import { enqueueAll } from '../jobs/queue.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { DeliveryId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { planSending } from './deliver-webhook.job.ts'
import {
  countDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  returnToLine,
  type Range,
} from './delivery.store.ts'

/** Most attempts of a delivery that are shown. */
const shownAttempts = 10

/** Most deliveries that are sent again by one request. */
const maxRedelivered = 1000

/** One page of the deliveries of a webhook and how many there are. */
export async function pageOfDeliveries(
  { db }: Services,
  hook: WebhookRow,
  state: DeliveryState | undefined,
  page: Page,
): Promise<{ rows: WebhookDeliveryRow[]; total: number }> {
  const filter = { hookId: hook.id, state }
  const [rows, total] = await Promise.all([listDeliveries(db, filter, page), countDeliveries(db, filter)])
  return { rows, total }
}

export interface DeliveryWithAttempts {
  readonly delivery: WebhookDeliveryRow & { readonly data: string }
  readonly attempts: readonly WebhookAttemptRow[]
}

const noDelivery = (): NotFound => new NotFound('the webhook has no such delivery', 'delivery_not_found')

/** A delivery with its last attempts; `NotFound` also for one of another webhook. */
export async function getDelivery({ db }: Services, hook: WebhookRow, id: number): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(db, hook.id, id as DeliveryId)
  if (!delivery) throw noDelivery()
  return { delivery, attempts: await listAttempts(db, delivery.id, shownAttempts) }
}

/** Has one delivery sent again, whatever became of it. @returns 0 when it waits already */
export async function redeliverOne(services: Services, hook: WebhookRow, id: number): Promise<number> {
  await getDelivery(services, hook, id)
  return sendAgain(services, hook, { first: id, last: id, states: ['delivered', 'failed', 'skipped'], limit: 1 })
}

/** Has a range of deliveries sent again, oldest first: at most a thousand, then the next request goes on. @returns how many */
export async function redeliver(
  services: Services,
  hook: WebhookRow,
  asked: Pick<Range, 'first' | 'last' | 'states'>,
): Promise<number> {
  if (asked.states.length === 0) throw new Invalid('[states]: name one at least', 'states_empty')
  return sendAgain(services, hook, { ...asked, limit: maxRedelivered })
}

function sendAgain(services: Services, hook: WebhookRow, range: Omit<Range, 'hookId'>): Promise<number> {
  if (!hook.is_active) throw new Invalid('the webhook is switched off', 'webhook_inactive')
  return transaction(services.db, async (tx) => {
    const nowMs = clockOf(tx).nowMs()
    await enqueueAll(tx, [planSending(hook.id, hook.failures === 0, Math.max(nowMs, hook.retry_at_ms))])
    return (await returnToLine(tx, { ...range, hookId: hook.id }, nowMs)).length
  })
}
