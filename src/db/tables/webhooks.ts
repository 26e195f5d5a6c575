import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { AttemptId, DeliveryId, EventId, HookId, PayloadId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Whose events the webhook receives. A `default` webhook receives none; new repositories get a copy. */
export type HookLevel = 'repository' | 'account' | 'system' | 'default'

export interface WebhookTable {
  id: Generated<HookId>
  level: HookLevel
  /** The account or organization, for kind `account`. */
  owner_id: UserId | null
  repo_id: RepoId | null
  type: string
  /** Sealed for `webhook-address`: the URL of a chat service is a secret. */
  url: string
  content_type: 'json' | 'form'
  /** JSON: the subscribed events, by their API names, in order. */
  events: string
  branch_filter: string
  /** JSON: additional settings of the webhook type; `null` without any. */
  metadata: string
  /** Sealed for `webhook-secret`; empty for none. */
  sealed_secret: string
  /** Sealed for `webhook-authorization`; empty for none. */
  sealed_authorization: string
  is_active: boolean
  created_unix: Unix
  updated_unix: Unix
  /** Consecutive failures to reach the receiver. */
  failures: Generated<number>
  /** The end of the back-off; 0 after a success. */
  retry_at_ms: Generated<number>
  /** When the webhook was paused; 0 when it is active. */
  paused_unix: Generated<Unix>
  /** The reason of the back-off or pause; empty after a success. */
  problem: Generated<string>
}

/** The payload of an event, shared by all webhooks that receive it in the same form. */
export interface WebhookPayloadTable {
  id: Generated<PayloadId>
  /** Without a foreign key: the event may be deleted before its deliveries. */
  event_id: EventId | null
  /** JSON, the state when the event happened. */
  data: string
  /** JSON: the parts that must be read from git before sending; null when the payload is complete. */
  pending: string | null
  created_ms: number
}

/** `skipped`: the webhook type has no message for the event. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'skipped'

export interface WebhookDeliveryTable {
  id: Generated<DeliveryId>
  hook_id: HookId
  payload_id: PayloadId
  /** The delivery id, the same for all attempts. Receivers use it to recognize duplicates. */
  uuid: string
  event: string
  event_type: string
  state: DeliveryState
  /** Counts all attempts. */
  attempts: Generated<number>
  /** Failed attempts since `waits_from_ms`. */
  failures: Generated<number>
  created_ms: number
  /** When the delivery became pending: at its event, or at the last request for redelivery. */
  waits_from_ms: number
  /** When the next attempt is due. */
  next_ms: Generated<number>
  /** The last response status; null without a response. */
  status: number | null
  /** Why the last attempt failed or was not made; empty after a success. */
  problem: Generated<string>
}

/** One attempt at a delivery. */
export interface WebhookAttemptTable {
  id: Generated<AttemptId>
  delivery_id: DeliveryId
  sent_ms: number
  duration_ms: number
  /** Null without a response. */
  status: number | null
  /** Why the attempt failed; empty after a success. */
  problem: string
  /** JSON: method, URL and headers, and the body if an adaptor made it; without secrets. */
  request: string
  /** JSON: headers and the start of the response body, without secrets; null without a response. */
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
