import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../../db/tables/webhooks.ts'
import { formatUnix } from '../../lib/time.ts'
import type { HookDelivery, HookDeliveryAttempt, HookDeliveryDetails } from './delivery.schemas.ts'
import { recordedAddress, type WithSecrets } from '../hook-secrets.ts'
import { payloadTextOf } from './delivery-request.ts'

const formatMs = (ms: number): string => formatUnix(Math.floor(ms / 1000))

/** Returns deliveries as lists show them. */
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

interface DeliveryWithAttempts {
  readonly delivery: WebhookDeliveryRow & { readonly data: string }
  readonly attempts: readonly WebhookAttemptRow[]
}

/** Returns one delivery with its requests and answers, whose secrets were masked when they were recorded. */
export function presentDelivery(
  ctx: WithSecrets,
  hook: WebhookRow,
  { delivery, attempts }: DeliveryWithAttempts,
): HookDeliveryDetails {
  const [row] = presentDeliveries([delivery])
  const text = payloadTextOf(hook, delivery)
  return { ...(row as HookDelivery), last_attempts: attempts.map((attempt) => presentAttempt(ctx, attempt, text)) }
}

function presentAttempt(ctx: WithSecrets, attempt: WebhookAttemptRow, payload: string): HookDeliveryAttempt {
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
        : { method, url: recordedAddress(ctx, url), headers, body: request.body ?? payload },
    response:
      attempt.response === null ? null : (JSON.parse(attempt.response) as NonNullable<HookDeliveryAttempt['response']>),
  }
}
