import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../db/tables/webhooks.ts'
import { formatUnix } from '../lib/time.ts'
import type { HookDelivery, HookDeliveryAttempt, HookDeliveryDetails } from './delivery.schemas.ts'
import { keptAddress, type HasSecrets } from './hook-secrets.ts'
import { payloadTextOf } from './hook-request.ts'

const formatMs = (ms: number): string => formatUnix(Math.floor(ms / 1000))

/** Deliveries as a list shows them. */
export const presentDeliveries = (rows: readonly WebhookDeliveryRow[]): HookDelivery[] =>
  rows.map((row) => ({
    id: row.id,
    uuid: row.uuid,
    event: row.event,
    event_type: row.event_type,
    state: row.state,
    attempts: row.attempts,
    status_code: row.status,
    problem: row.problem,
    created_at: formatMs(row.created_ms),
    next_attempt_at: row.state === 'waiting' && row.next_ms > 0 ? formatMs(row.next_ms) : null,
  }))

interface Shown {
  readonly delivery: WebhookDeliveryRow & { readonly data: string }
  readonly attempts: readonly WebhookAttemptRow[]
}

/** One delivery with what was asked and answered; secrets were masked when it was written down. */
export function presentDelivery(ctx: HasSecrets, hook: WebhookRow, { delivery, attempts }: Shown): HookDeliveryDetails {
  const [row] = presentDeliveries([delivery])
  const text = payloadTextOf(hook, delivery)
  return { ...(row as HookDelivery), last_attempts: attempts.map((attempt) => presentAttempt(ctx, attempt, text)) }
}

function presentAttempt(ctx: HasSecrets, attempt: WebhookAttemptRow, payload: string): HookDeliveryAttempt {
  const request = JSON.parse(attempt.request) as Partial<NonNullable<HookDeliveryAttempt['request']>>
  const { method, url, headers } = request
  return {
    sent_at: formatMs(attempt.sent_ms),
    duration_ms: attempt.duration_ms,
    status_code: attempt.status,
    problem: attempt.problem,
    request:
      method === undefined || url === undefined || headers === undefined
        ? null
        : { method, url: keptAddress(ctx, url), headers, body: request.body ?? payload },
    response:
      attempt.response === null ? null : (JSON.parse(attempt.response) as NonNullable<HookDeliveryAttempt['response']>),
  }
}
