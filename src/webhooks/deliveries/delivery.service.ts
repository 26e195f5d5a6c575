import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction } from '../../db/database.ts'
import type { DeliveryState, WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../../db/tables/webhooks.ts'
import { enqueueAll } from '../../jobs/queue.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { DeliveryId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { updateHook } from '../hook.store.ts'
import { planDeliveries } from './deliver-webhook.job.ts'
import {
  countDeliveries,
  findDelivery,
  listAttempts,
  listDeliveries,
  requeueDeliveries,
  type DeliveryRange,
} from './delivery.store.ts'

/** Most attempts that the API shows of a delivery. */
const maxAttemptsShown = 10

/** Most deliveries that one request sends again. */
const maxRedelivered = 1000

/** Returns one page of the deliveries of a webhook and their total. */
export async function pageOfDeliveries(
  { db }: Services,
  hook: WebhookRow,
  state: DeliveryState | undefined,
  page: Page,
): Promise<{ rows: WebhookDeliveryRow[]; total: number }> {
  const filter = { hookId: hook.id, state }
  const [rows, total] = await rowsAndTotal(page, listDeliveries(db, filter, page), countDeliveries(db, filter))
  return { rows, total }
}

export interface DeliveryWithAttempts {
  readonly delivery: WebhookDeliveryRow & { readonly data: string }
  readonly attempts: readonly WebhookAttemptRow[]
}

const noDelivery = (): NotFound => new NotFound('the webhook has no delivery with this id', 'delivery_not_found')

/** Returns a delivery with its last attempts. Throws `NotFound` for a delivery of another webhook. */
export async function getDelivery({ db }: Services, hook: WebhookRow, id: number): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(db, hook.id, id as DeliveryId)
  if (!delivery) throw noDelivery()
  return { delivery, attempts: await listAttempts(db, delivery.id, maxAttemptsShown) }
}

const allStates: readonly DeliveryState[] = ['waiting', 'delivered', 'failed', 'skipped']

/** Sends one delivery again, whatever its state; a waiting one is sent at once. Returns the number of deliveries. */
export async function redeliverOne(services: Services, hook: WebhookRow, id: number): Promise<number> {
  await getDelivery(services, hook, id)
  return requeue(services, hook, { first: id, last: id, states: allStates, limit: 1 })
}

/** Sends a range of deliveries again, oldest first and at most `maxRedelivered`, and returns how many. */
export async function redeliver(
  services: Services,
  hook: WebhookRow,
  range: Pick<DeliveryRange, 'first' | 'last' | 'states'>,
): Promise<number> {
  if (range.states.length === 0) throw new Invalid('[states]: name at least one state', 'states_empty')
  return requeue(services, hook, { ...range, limit: maxRedelivered })
}

/** Lets deliveries wait for an attempt that is made now, also when the webhook waits for its receiver. */
function requeue(services: Services, hook: WebhookRow, range: Omit<DeliveryRange, 'hookId'>): Promise<number> {
  if (!hook.is_active) throw new Invalid('the webhook is switched off; activate it first', 'webhook_inactive')
  return transaction(services.db, async (tx) => {
    const nowMs = clockOf(tx).nowMs()
    await updateHook(tx, hook.id, { retry_at_ms: 0 })
    await enqueueAll(tx, [planDeliveries(hook.id, hook.failures === 0, nowMs)])
    return requeueDeliveries(tx, { ...range, hookId: hook.id }, nowMs)
  })
}
