import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../../http/schema.ts'

/** An event. Not part of the contract. */
export const LoggedEvent = object('LoggedEvent', {
  id: Type.Integer(),
  /** Position in commit order. */
  position: Type.Integer(),
  name: Type.String(),
  at: dateTime(),
  actor_id: nullable(Type.Integer()),
  owner_id: nullable(Type.Integer()),
  repo_id: nullable(Type.Integer()),
  issue_id: nullable(Type.Integer()),
  data: Type.Unknown(),
})
export type LoggedEvent = Static<typeof LoggedEvent>

/** A page of events and the position to continue after. Not part of the contract. */
export const EventLog = object('EventLog', {
  events: Type.Array(LoggedEvent),
  /** Position for the next `after`. */
  position: Type.Integer(),
  has_more: Type.Boolean(),
  /** Whether events between `after` and the first of these were deleted. */
  is_incomplete: Type.Boolean(),
  /** Reason when the page ends before an event of another release. */
  waits_for: nullable(Type.String()),
})
export type EventLog = Static<typeof EventLog>
