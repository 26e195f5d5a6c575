import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AttemptId, DeliveryId, EventId, HookId, PayloadId, RepoId, UserId } from '../../lib/ids.ts'
import { bigint, flag, id, integer, nullable, ref, table, text, unix, type TablesOf } from '../table.ts'

/** Whose events the webhook receives. A `default` webhook receives none; new repositories get a copy. */
export type HookLevel = 'repository' | 'account' | 'system' | 'default'

/** `skipped`: the webhook type has no message for the event. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'skipped'

export const webhookTables = {
  webhook: table(
    {
      id: id<HookId>(),
      level: text<HookLevel>(),
      /** The account or organization, for kind `account`. */
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      type: text(),
      /** Sealed for `webhook-address`: the URL of a chat service is a secret. */
      url: text(),
      content_type: text<'json' | 'form'>(),
      /** JSON: the subscribed events, by their API names, in order. */
      events: text(),
      branch_filter: text(),
      /** JSON: additional settings of the webhook type; `null` without any. */
      metadata: text(),
      /** Sealed for `webhook-secret`; empty for none. */
      sealed_secret: text(),
      /** Sealed for `webhook-authorization`; empty for none. */
      sealed_authorization: text(),
      is_active: flag(),
      created_unix: unix(),
      updated_unix: unix(),
      /** Consecutive failures to reach the receiver. */
      failures: integer(0),
      /** The end of the back-off; 0 after a success. */
      retry_at_ms: bigint(0),
      /** When the webhook was paused; 0 when it is active. */
      paused_unix: unix(0),
      /** The reason of the back-off or pause; empty after a success. */
      problem: text(''),
    },
    {
      indexes: {
        webhook_repo: '(repo_id, id) where repo_id is not null',
        webhook_owner: '(owner_id, id) where owner_id is not null',
        webhook_instance: '(level, id) where repo_id is null and owner_id is null',
      },
    },
  ),

  /** The payload of an event, shared by all webhooks that receive it in the same form. */
  webhook_payload: table({
    id: id<PayloadId>(),
    /** Without a foreign key: the event may be deleted before its deliveries. */
    event_id: nullable(bigint<EventId>()),
    /** JSON, the state when the event happened. */
    data: text(),
    /** JSON: the parts that must be read from git before sending; null when the payload is complete. */
    pending: nullable(text()),
    created_ms: bigint(),
  }),

  webhook_delivery: table(
    {
      id: id<DeliveryId>(),
      hook_id: ref<HookId>('webhook', 'cascade'),
      payload_id: ref<PayloadId>('webhook_payload'),
      /** The delivery id, the same for all attempts. Receivers use it to recognize duplicates. */
      uuid: text(),
      event: text(),
      event_type: text(),
      state: text<DeliveryState>(),
      /** Counts all attempts. */
      attempts: integer(0),
      /** Failed attempts since `waits_from_ms`. */
      failures: integer(0),
      created_ms: bigint(),
      /** When the delivery became pending: at its event, or at the last request for redelivery. */
      waits_from_ms: bigint(),
      /** When the next attempt is due. */
      next_ms: bigint(0),
      /** The last response status; null without a response. */
      status: nullable(integer()),
      /** Why the last attempt failed or was not made; empty after a success. */
      problem: text(''),
    },
    {
      indexes: {
        webhook_delivery_list: '(hook_id, id)',
        webhook_delivery_line: "(hook_id, id) where state = 'waiting'",
        webhook_delivery_due: "(hook_id, next_ms) where state = 'waiting'",
        webhook_delivery_payload: '(payload_id)',
        webhook_delivery_age: "(created_ms) where state <> 'waiting'",
      },
    },
  ),

  /** One attempt at a delivery. */
  webhook_attempt: table(
    {
      id: id<AttemptId>(),
      delivery_id: ref<DeliveryId>('webhook_delivery', 'cascade'),
      sent_ms: bigint(),
      duration_ms: integer(),
      /** Null without a response. */
      status: nullable(integer()),
      /** Why the attempt failed; empty after a success. */
      problem: text(),
      /** JSON: method, URL and headers, and the body if an adaptor made it; without secrets. */
      request: text(),
      /** JSON: headers and the start of the response body, without secrets; null without a response. */
      response: nullable(text()),
    },
    { indexes: { webhook_attempt_list: '(delivery_id, id)' } },
  ),
}

export type WebhookTables = TablesOf<typeof webhookTables>
export type WebhookRow = Selectable<WebhookTables['webhook']>
export type NewWebhookRow = Insertable<WebhookTables['webhook']>
export type WebhookChange = Updateable<WebhookTables['webhook']>
export type WebhookPayloadRow = Selectable<WebhookTables['webhook_payload']>
export type WebhookDeliveryRow = Selectable<WebhookTables['webhook_delivery']>
export type WebhookAttemptRow = Selectable<WebhookTables['webhook_attempt']>
export type NewWebhookAttemptRow = Insertable<WebhookTables['webhook_attempt']>
