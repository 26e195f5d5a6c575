import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../http/schema.ts'

export const Hook = object('Hook', {
  id: Type.Integer(),
  type: Type.String(),
  branch_filter: Type.String(),
  url: Type.String(),
  config: nullable(Type.Record(Type.String(), Type.String())), // deprecated
  events: nullable(Type.Array(Type.String())),
  authorization_header: Type.String(),
  content_type: Type.String(),
  metadata: Type.Unknown(),
  active: Type.Boolean(),
  updated_at: dateTime(),
  created_at: dateTime(),
  /** Since when the webhook is paused after failed attempts; null when it is not. An extension of Ingot. */
  paused_since: nullable(dateTime()),
  /** Why the last attempt failed; empty when it succeeded. An extension of Ingot. */
  problem: Type.String(),
  /** When the next attempt begins; null when the last one succeeded. An extension of Ingot. */
  next_attempt_at: nullable(dateTime()),
})
export type Hook = Static<typeof Hook>

const CreateHookOptionConfig = Type.Record(Type.String(), Type.String(), { title: 'CreateHookOptionConfig' })

export const CreateHookOption = closedObject(
  'CreateHookOption',
  {
    // expected: one of hookTypes (hook.rules.ts)
    type: Type.String({ minLength: 1 }),
    config: CreateHookOptionConfig,
    events: Type.Optional(nullable(Type.Array(Type.String()))),
    branch_filter: Type.Optional(Type.String()), // rule: GlobPattern
    authorization_header: Type.Optional(Type.String()),
    active: Type.Optional(Type.Boolean({ default: false })),
    is_system_webhook: Type.Optional(Type.Boolean()),
  },
  { ignored: ['name'] },
)
export type CreateHookOption = Static<typeof CreateHookOption>

export const EditHookOption = closedObject(
  'EditHookOption',
  {
    config: Type.Optional(nullable(Type.Record(Type.String(), Type.String()))),
    events: Type.Optional(nullable(Type.Array(Type.String()))),
    branch_filter: Type.Optional(Type.String()), // rule: GlobPattern
    authorization_header: Type.Optional(Type.String()),
    active: Type.Optional(nullable(Type.Boolean())),
  },
  { ignored: ['name', ...Object.keys(Hook.properties)] },
)
export type EditHookOption = Static<typeof EditHookOption>
