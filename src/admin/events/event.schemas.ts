import { Type, type Static } from 'typebox'
import { dateTime, nullable, object } from '../../http/schema.ts'

/** Something that has happened. Not part of the contract. */
export const LoggedEvent = object('LoggedEvent', {
  id: Type.Integer(),
  /** Where it stands in the order of commits. */
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

/** A part of what has happened, and where to go on. Not part of the contract. */
export const EventLog = object('EventLog', {
  events: Type.Array(LoggedEvent),
  /** What to ask `after` next. */
  position: Type.Integer(),
  has_more: Type.Boolean(),
  /** Events between what was asked `after` and the first of these have been cleared away. */
  is_incomplete: Type.Boolean(),
  /** Why it ends before an event of another release. */
  waits_for: nullable(Type.String()),
})
export type EventLog = Static<typeof EventLog>
