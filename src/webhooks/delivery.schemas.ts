import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, requestObject } from '../http/schema.ts'

const delivery = {
  id: Type.Integer(),
  /** What receivers know it by, however often it is sent. */
  uuid: Type.String(),
  event: Type.String(),
  event_type: Type.String(),
  /** `skipped`: for this type of receiver there was nothing to say. */
  state: enumeration('waiting', 'delivered', 'failed', 'skipped'),
  attempts: Type.Integer(),
  /** What the receiver answered last. */
  status_code: nullable(Type.Integer()),
  /** Why the last attempt failed, or why there was none. */
  problem: Type.String(),
  created_at: dateTime(),
  /** When it is tried again, where that is not at once. */
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
  /** The body was longer. */
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
  /** The range, both ends included; all when left out. */
  first_id: Type.Optional(Type.Integer()),
  last_id: Type.Optional(Type.Integer()),
  /** What is sent again; failed ones when left out. */
  states: Type.Optional(Type.Array(enumeration('delivered', 'failed', 'skipped'))),
})
export type RedeliverOption = Static<typeof RedeliverOption>

export const Redelivered = object('Redelivered', {
  /** How many wait now that did not before. */
  count: Type.Integer(),
})
