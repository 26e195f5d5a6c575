import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../../http/schema.ts'

/** A background job. Not part of the contract. */
export const BackgroundJob = object('BackgroundJob', {
  id: Type.Integer(),
  name: Type.String(),
  /** Pool whose slots it uses. */
  pool: Type.String(),
  state: enumeration('waiting', 'running', 'failed'),
  attempt: Type.Integer(),
  max_attempts: Type.Integer(),
  lane: nullable(Type.String()),
  run_at: dateTime(),
  progress: nullable(
    Type.Object({
      done: Type.Number(),
      total: Type.Optional(Type.Number()),
      note: Type.Optional(Type.String()),
    }),
  ),
  /** Event that caused it. */
  event_id: nullable(Type.Integer()),
  last_error: nullable(Type.String()),
  /** Why the job failed or waits: `permanent`, `exhausted`, `crashed` or `unreadable`. */
  problem: nullable(enumeration('permanent', 'exhausted', 'crashed', 'unreadable')),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type BackgroundJob = Static<typeof BackgroundJob>
