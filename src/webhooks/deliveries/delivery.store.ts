import { sql, type ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { countChanges, countRows } from '../../db/rows.ts'
import type {
  NewWebhookAttemptRow,
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookPayloadRow,
  WebhookRow,
} from '../../db/tables/webhooks.ts'
import type { DeliveryId, EventId, HookId, PayloadId, RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** A webhook with the account whose share of the senders it uses: its own account or the owner of its repository. */
export type SendingHook = WebhookRow & { readonly payer_id: UserId | null }

export const findSendingHook = (db: Db, id: HookId): Promise<SendingHook | undefined> =>
  db
    .selectFrom('webhook')
    .leftJoin('repo', 'repo.id', 'webhook.repo_id')
    .selectAll('webhook')
    .select((row) => row.fn.coalesce('webhook.owner_id', 'repo.owner_id').as('payer_id'))
    .where('webhook.id', '=', id)
    .executeTakeFirst()

/** Lists the active webhooks of these repositories, of their owners, of these accounts and of the instance. */
export async function listHooksFor(
  db: Db | Tx,
  repoIds: readonly RepoId[],
  ownerIds: readonly UserId[],
): Promise<WebhookRow[]> {
  const active = db.selectFrom('webhook').selectAll().where('is_active', '=', true)
  const instance = active.where('level', '=', 'system').where('repo_id', 'is', null).where('owner_id', 'is', null)
  let all = instance
  if (repoIds.length > 0) {
    all = all
      .unionAll(active.where('repo_id', 'in', repoIds))
      .unionAll(
        active.where('owner_id', 'in', db.selectFrom('repo').select('repo.owner_id').where('repo.id', 'in', repoIds)),
      )
  }
  if (ownerIds.length > 0) all = all.unionAll(active.where('owner_id', 'in', ownerIds))
  // An account may be found twice: by its id and as the owner of a repository.
  return [...new Map((await all.execute()).map((hook) => [hook.id, hook])).values()]
}

/** Locks webhooks until the transaction ends, and returns the ids of those that still exist. */
export async function lockHooks(tx: Tx, ids: readonly HookId[]): Promise<ReadonlySet<HookId>> {
  const hooks = tx.selectFrom('webhook').select('id').where('id', 'in', ids).orderBy('id')
  const rows = await hooks.forKeyShare().execute()
  return new Set(rows.map((row) => row.id))
}

export interface NewPayload {
  readonly eventId: EventId | null
  readonly data: string
  readonly pending: string | null
}

/** Most rows of one INSERT statement. */
const maxRowsPerStatement = 500

/** Inserts payloads and returns their ids in the same order. */
export async function insertPayloads(
  tx: Tx,
  payloads: readonly NewPayload[],
  nowMs: number,
): Promise<readonly PayloadId[]> {
  const ids: PayloadId[] = []
  for (let start = 0; start < payloads.length; start += maxRowsPerStatement) {
    const rows = await tx
      .insertInto('webhook_payload')
      .values(
        payloads.slice(start, start + maxRowsPerStatement).map(({ eventId, data, pending }) => ({
          event_id: eventId,
          data,
          pending,
          created_ms: nowMs,
        })),
      )
      .returning('id')
      .execute()
    // Ids follow the order of the rows, but RETURNING promises no order.
    ids.push(...rows.map((row) => row.id).sort((a, b) => a - b))
  }
  return ids
}

export interface NewDelivery {
  readonly hookId: HookId
  readonly payloadId: PayloadId
  readonly uuid: string
  readonly event: string
  readonly eventType: string
  /** Why the delivery fails without an attempt; absent when it waits. */
  readonly problem?: string
}

export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], nowMs: number): Promise<void> {
  for (let start = 0; start < deliveries.length; start += maxRowsPerStatement) {
    await tx
      .insertInto('webhook_delivery')
      .values(
        deliveries.slice(start, start + maxRowsPerStatement).map((each) => ({
          hook_id: each.hookId,
          payload_id: each.payloadId,
          uuid: each.uuid,
          event: each.event,
          event_type: each.eventType,
          state: each.problem === undefined ? ('waiting' as const) : ('failed' as const),
          problem: each.problem ?? '',
          created_ms: nowMs,
          waits_from_ms: nowMs,
        })),
      )
      .execute()
  }
}

/** Returns the webhooks with at least `limit` waiting deliveries. Reads at most `limit` index entries of each. */
export async function listFullHooks(db: Db | Tx, hookIds: readonly HookId[], limit: number): Promise<Set<HookId>> {
  if (hookIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('webhook')
    .select('id')
    .where('id', 'in', hookIds)
    .where((row) =>
      row.exists(
        row
          .selectFrom('webhook_delivery')
          .select('webhook_delivery.id')
          .whereRef('webhook_delivery.hook_id', '=', 'webhook.id')
          .where('webhook_delivery.state', '=', sql.lit('waiting'))
          .orderBy('webhook_delivery.id')
          .limit(1)
          .offset(limit - 1),
      ),
    )
    .execute()
  return new Set(rows.map((row) => row.id))
}

export type DueDelivery = WebhookDeliveryRow & Pick<WebhookPayloadRow, 'data' | 'pending'>

/** Lists the deliveries of a webhook that are due, in the order of their events. */
export const listDue = (db: Db, hookId: HookId, nowMs: number, limit: number): Promise<DueDelivery[]> =>
  db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_payload', 'webhook_payload.id', 'webhook_delivery.payload_id')
    .selectAll('webhook_delivery')
    .select(['webhook_payload.data', 'webhook_payload.pending'])
    .where('webhook_delivery.hook_id', '=', hookId)
    .where('webhook_delivery.state', '=', sql.lit('waiting'))
    .where('webhook_delivery.next_ms', '<=', nowMs)
    .orderBy('webhook_delivery.id')
    .limit(limit)
    .execute()

/** Returns when the next delivery of a webhook is due; undefined when none waits. */
export const findNextDue = async (db: Db | Tx, hookId: HookId): Promise<number | undefined> =>
  (
    await db
      .selectFrom('webhook_delivery')
      .select('next_ms')
      .where('hook_id', '=', hookId)
      .where('state', '=', sql.lit('waiting'))
      .orderBy('next_ms')
      .limit(1)
      .executeTakeFirst()
  )?.next_ms

/** Stores a completed payload, unless the sender of another webhook has stored it already. */
export async function completePayload(tx: Tx, id: PayloadId, data: string): Promise<void> {
  await tx
    .updateTable('webhook_payload')
    .set({ data, pending: null })
    .where('id', '=', id)
    .where('pending', 'is not', null)
    .execute()
}

export const insertAttempt = (tx: Tx, row: NewWebhookAttemptRow) =>
  tx.insertInto('webhook_attempt').values(row).execute()

/** Ends a delivery that the receiver accepted with this status. */
export async function markDelivered(tx: Tx, id: DeliveryId, status: number): Promise<void> {
  await tx
    .updateTable('webhook_delivery')
    .set((row) => ({
      state: 'delivered' as const,
      attempts: row('attempts', '+', 1),
      failures: 0,
      status,
      problem: '',
    }))
    .where('id', '=', id)
    .execute()
}

export interface FailedAttempt {
  readonly status: number | null
  readonly problem: string
  /** When it is tried again; undefined: never. */
  readonly nextMs: number | undefined
}

export async function markFailed(tx: Tx, id: DeliveryId, { status, problem, nextMs }: FailedAttempt): Promise<void> {
  await tx
    .updateTable('webhook_delivery')
    .set((row) => ({
      state: nextMs === undefined ? ('failed' as const) : ('waiting' as const),
      attempts: row('attempts', '+', 1),
      failures: row('failures', '+', 1),
      next_ms: nextMs ?? 0,
      status,
      problem,
    }))
    .where('id', '=', id)
    .execute()
}

/** Marks waiting deliveries of a webhook as failed: one of them, or all when `id` is absent. */
export async function failWaiting(tx: Tx, hookId: HookId, problem: string, id?: DeliveryId): Promise<void> {
  const waiting = tx
    .updateTable('webhook_delivery')
    .set({ state: 'failed', next_ms: 0, problem })
    .where('hook_id', '=', hookId)
    .where('state', '=', sql.lit('waiting'))
  await (id === undefined ? waiting : waiting.where('id', '=', id)).execute()
}

/** Makes all waiting deliveries of a webhook due at once. */
export async function clearRetryDelays(tx: Tx, hookId: HookId): Promise<void> {
  await tx
    .updateTable('webhook_delivery')
    .set({ next_ms: 0 })
    .where('hook_id', '=', hookId)
    .where('state', '=', sql.lit('waiting'))
    .where('next_ms', '>', sql.lit(0))
    .execute()
}

export interface DeliveryFilter {
  readonly hookId: HookId
  readonly state?: WebhookDeliveryRow['state'] | undefined
}

const matchingDeliveries = (db: Db | Tx, { hookId, state }: DeliveryFilter) => {
  const deliveries = db.selectFrom('webhook_delivery').where('hook_id', '=', hookId)
  return state === undefined ? deliveries : deliveries.where('state', '=', sql.lit(state))
}

/** Lists the deliveries of a webhook, newest first. */
export const listDeliveries = (db: Db, filter: DeliveryFilter, page: Page): Promise<WebhookDeliveryRow[]> =>
  matchingDeliveries(db, filter).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute()

export const countDeliveries = (db: Db, filter: DeliveryFilter): Promise<number> =>
  countRows(matchingDeliveries(db, filter))

export const findDelivery = (
  db: Db,
  hookId: HookId,
  id: DeliveryId,
): Promise<(WebhookDeliveryRow & Pick<WebhookPayloadRow, 'data'>) | undefined> =>
  db
    .selectFrom('webhook_delivery')
    .innerJoin('webhook_payload', 'webhook_payload.id', 'webhook_delivery.payload_id')
    .selectAll('webhook_delivery')
    .select('webhook_payload.data')
    .where('webhook_delivery.hook_id', '=', hookId)
    .where('webhook_delivery.id', '=', id)
    .executeTakeFirst()

/** Lists the last attempts of a delivery, newest first. */
export const listAttempts = (db: Db, id: DeliveryId, limit: number): Promise<WebhookAttemptRow[]> =>
  db
    .selectFrom('webhook_attempt')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export interface DeliveryRange {
  readonly hookId: HookId
  readonly first: number
  readonly last: number
  readonly states: readonly WebhookDeliveryRow['state'][]
  readonly limit: number
}

/** Lets deliveries wait for an attempt, oldest first, and returns how many. */
export async function requeueDeliveries(tx: Tx, range: DeliveryRange, nowMs: number): Promise<number> {
  const chosen = tx
    .selectFrom('webhook_delivery as each')
    .select('each.id')
    .where('each.hook_id', '=', range.hookId)
    .where('each.id', '>=', range.first as DeliveryId)
    .where('each.id', '<=', range.last as DeliveryId)
    .where('each.state', 'in', range.states)
    .orderBy('each.id')
    .limit(range.limit)
  return countChanges(
    tx
      .updateTable('webhook_delivery')
      .set({ state: 'waiting', failures: 0, next_ms: 0, waits_from_ms: nowMs })
      .where('id', 'in', chosen),
  )
}

/** Deletes ended deliveries that were created before a time, oldest first, and returns how many. */
export async function deleteOldDeliveries(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const old = tx
    .selectFrom('webhook_delivery as old')
    .select('old.id')
    .where('old.state', '<>', sql.lit('waiting'))
    .where('old.created_ms', '<', beforeMs)
    .orderBy('old.created_ms')
    .limit(limit)
  return countChanges(tx.deleteFrom('webhook_delivery').where('id', 'in', old))
}

/** Lists the ids of webhooks after an id, in ascending order. */
export const listHookIds = (db: Db, after: HookId | undefined, limit: number): Promise<{ id: HookId }[]> =>
  db
    .selectFrom('webhook')
    .select('id')
    .where('id', '>', after ?? (0 as HookId))
    .orderBy('id')
    .limit(limit)
    .execute()

/** Deletes ended deliveries of a webhook except its `keep` newest, and returns how many. */
export async function deleteDeliveriesBeyond(tx: Tx, hookId: HookId, keep: number, limit: number): Promise<number> {
  const ended = tx
    .selectFrom('webhook_delivery as ended')
    .select('ended.id')
    .where('ended.hook_id', '=', hookId)
    .where('ended.state', '<>', sql.lit('waiting'))
    .orderBy('ended.id', 'desc')
    .offset(keep)
    .limit(limit)
  return countChanges(tx.deleteFrom('webhook_delivery').where('id', 'in', ended))
}

/** Lists payloads after an id, and whether a delivery refers to them. */
export const listPayloads = async (
  db: Db,
  after: PayloadId | undefined,
  limit: number,
): Promise<{ readonly id: PayloadId; readonly is_used: boolean }[]> =>
  (
    await db
      .selectFrom('webhook_payload')
      .select(['id', (row) => row.exists(deliveryOf(row, 'webhook_payload.id')).as('is_used')])
      .where('id', '>', after ?? (0 as PayloadId))
      .orderBy('id')
      .limit(limit)
      .execute()
  ).map(({ id, is_used: isUsed }) => ({ id, is_used: Boolean(isUsed) }))

/** Deletes payloads to which no delivery refers. */
export async function deleteUnusedPayloads(tx: Tx, ids: readonly PayloadId[]): Promise<void> {
  await tx
    .deleteFrom('webhook_payload')
    .where('id', 'in', ids)
    .where((row) => row.not(row.exists(deliveryOf(row, 'webhook_payload.id'))))
    .execute()
}

const deliveryOf = (row: ExpressionBuilder<Schema, 'webhook_payload'>, payload: 'webhook_payload.id') =>
  row.selectFrom('webhook_delivery').select('webhook_delivery.id').whereRef('webhook_delivery.payload_id', '=', payload)

/** Ends a delivery for whose type of receiver there is nothing to send. */
export async function markSkipped(tx: Tx, id: DeliveryId): Promise<void> {
  await tx
    .updateTable('webhook_delivery')
    .set({ state: 'skipped', next_ms: 0, problem: '' })
    .where('id', '=', id)
    .execute()
}
