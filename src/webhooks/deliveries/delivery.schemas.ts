import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, requestObject } from '../../http/schema.ts'

const delivery = {
  id: Type.Integer(),
  /** The id that receivers see; each attempt carries the same. */
  uuid: Type.String(),
  event: Type.String(),
  event_type: Type.String(),
  /** `skipped`: there was nothing to send to a receiver of this type. */
  state: enumeration('waiting', 'delivered', 'failed', 'skipped'),
  attempts: Type.Integer(),
  /** The status of the last answer. */
  status_code: nullable(Type.Integer()),
  /** Why the last attempt failed, or why there was none. */
  problem: Type.String(),
  created_at: dateTime(),
  /** When the next attempt begins; null when it is due or the delivery has ended. */
  next_attempt_at: nullable(dateTime()),
}

export const HookDelivery = object('HookDelivery', delivery)
export type HookDelivery = Static<typeof HookDelivery>

const HookRequest = object('HookDeliveryRequest', {
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
})

const HookResponse = object('HookDeliveryResponse', {
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  /** Whether the body was longer. */
  is_cut: Type.Boolean(),
})

export const HookDeliveryAttempt = object('HookDeliveryAttempt', {
  sent_at: dateTime(),
  duration_ms: Type.Integer(),
  status_code: nullable(Type.Integer()),
  problem: Type.String(),
  request: nullable(HookRequest),
  response: nullable(HookResponse),
})
export type HookDeliveryAttempt = Static<typeof HookDeliveryAttempt>

export const HookDeliveryDetails = object('HookDeliveryDetails', {
  ...delivery,
  /** The last attempts, newest first. */
  last_attempts: Type.Array(HookDeliveryAttempt),
})
export type HookDeliveryDetails = Static<typeof HookDeliveryDetails>

export const RedeliverOption = requestObject('RedeliverOption', {
  /** First and last id of the range, inclusive; absent: no limit. */
  first_id: Type.Optional(Type.Integer()),
  last_id: Type.Optional(Type.Integer()),
  /** The states of the deliveries to send again; absent: `failed`. */
  states: Type.Optional(Type.Array(enumeration('delivered', 'failed', 'skipped'))),
})
export type RedeliverOption = Static<typeof RedeliverOption>

export const Redelivered = object('Redelivered', {
  /** The number of deliveries that are sent again. */
  count: Type.Integer(),
})
