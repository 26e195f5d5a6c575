import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { AttemptId, DeliveryId, EventId, HookId, PayloadId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Whose events a webhook gets; `default` gets none and is copied into new repositories. */
export type HookLevel = 'repository' | 'account' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<HookId>
  level: HookLevel
  /** The account or organization of an `account` one. */
  owner_id: UserId | null
  repo_id: RepoId | null
  type: string
  /** Sealed for `webhook-address`: the address of a chat service is a secret. */
  url: string
  content_type: 'json' | 'form'
  /** JSON: what it gets, by the names that the API shows, in their order. */
  events: string
  branch_filter: string
  /** JSON: what adaptors need besides; `null` where the type has nothing. */
  metadata: string
  /** Sealed for `webhook-secret`; empty for none. */
  sealed_secret: string
  /** Sealed for `webhook-authorization`; empty for none. */
  sealed_authorization: string
  is_active: boolean
  created_unix: Unix
  updated_unix: Unix
  /** How often in a row its receiver was not to be reached. */
  failures: Generated<number>
  /** Nothing is sent before this time; 0 when the receiver was well. */
  retry_at_ms: Generated<number>
  /** Since when it is paused; 0 when it is not. */
  paused_unix: Generated<Unix>
  /** Why nothing goes out; empty when the receiver was well. */
  problem: Generated<string>
}

/** What is told of one event, for all webhooks that get it in the same form. */
export interface WebhookPayloadTable {
  id: Generated<PayloadId>
  /** The event may be cleared away before its deliveries. */
  event_id: EventId | null
  /** JSON, as of the moment of the event. */
  data: string
  /** JSON: what has still to be read from git before it can be sent; null when it is complete. */
  pending: string | null
  created_ms: number
}

/** `skipped`: for its type of receiver there was nothing to say. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'skipped'

export interface WebhookDeliveryTable {
  id: Generated<DeliveryId>
  hook_id: HookId
  payload_id: PayloadId
  /** The same at every attempt: by it receivers know what they have had. */
  uuid: string
  event: string
  event_type: string
  state: DeliveryState
  /** How often it was sent, all in all. */
  attempts: Generated<number>
  /** How often it has failed since it waits. */
  failures: Generated<number>
  created_ms: number
  /** Since when it waits: since its event, or since somebody asked for it again. */
  waits_from_ms: number
  /** It is not sent before this time. */
  next_ms: Generated<number>
  /** What the receiver answered last; null when it did not. */
  status: number | null
  /** Why the last attempt failed, or why there was none; empty when it did not. */
  problem: Generated<string>
}

/** One time that a delivery was sent. */
export interface WebhookAttemptTable {
  id: Generated<AttemptId>
  delivery_id: DeliveryId
  sent_ms: number
  duration_ms: number
  /** null when the receiver did not answer. */
  status: number | null
  /** Why it failed; empty when it did not. */
  problem: string
  /** JSON: method, address and headers, and the body where an adaptor made it; without secrets. */
  request: string
  /** JSON: headers and the beginning of the body of the answer, without secrets; null for none. */
  response: string | null
}

export interface WebhookTables {
  webhook: WebhookTable
  webhook_payload: WebhookPayloadTable
  webhook_delivery: WebhookDeliveryTable
  webhook_attempt: WebhookAttemptTable
}

export type WebhookRow = Selectable<WebhookTable>
export type NewWebhookRow = Insertable<WebhookTable>
export type WebhookChange = Updateable<WebhookTable>
export type WebhookPayloadRow = Selectable<WebhookPayloadTable>
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>
export type WebhookAttemptRow = Selectable<WebhookAttemptTable>
export type NewWebhookAttemptRow = Insertable<WebhookAttemptTable>
export type NewWebhookDeliveryRow = Insertable<WebhookDeliveryTable>
