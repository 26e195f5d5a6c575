import { Type, type Static } from 'typebox'
import { closedObject, nullable } from '../../http/schema.ts'

export const PushMirror = Type.Object(
  {
    repo_name: Type.String(),
    remote_name: Type.String({ description: 'The name by which requests speak of it' }),
    remote_address: Type.String({ description: 'Without credentials' }),
    created: Type.String({ format: 'date-time' }),
    last_update: nullable(Type.String({ format: 'date-time' })),
    last_error: Type.String({ description: 'Why the last attempt failed; empty when it did not' }),
    interval: Type.String(),
    sync_on_commit: Type.Boolean(),
    public_key: Type.String({ description: 'What the other side is to let in, where SSH is used' }),
  },
  { title: 'PushMirror' },
)
export type PushMirror = Static<typeof PushMirror>

export const CreatePushMirrorOption = closedObject(
  'CreatePushMirrorOption',
  {
    remote_address: Type.Optional(Type.String()),
    remote_username: Type.Optional(Type.String()),
    remote_password: Type.Optional(Type.String()),
    interval: Type.Optional(Type.String({ description: 'For example `8h0m0s`; `0s` is never by the clock' })),
    sync_on_commit: Type.Optional(Type.Boolean()),
    use_ssh: Type.Optional(Type.Boolean({ description: 'Whether the forge makes a key pair for it' })),
  },
  { ignoredWhenEmpty: ['branch_filter'] },
)
export type CreatePushMirrorOption = Static<typeof CreatePushMirrorOption>
