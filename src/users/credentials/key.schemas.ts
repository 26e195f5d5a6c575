import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../../http/schema.ts'
import { User } from '../user.schemas.ts'

export const PublicKey = object('PublicKey', {
  id: Type.Integer(),
  key: Type.String(),
  url: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String()),
  created_at: dateTime(),
  user: Type.Optional(nullable(User)),
  read_only: Type.Optional(Type.Boolean()),
  key_type: Type.Optional(Type.String()),
})
export type PublicKey = Static<typeof PublicKey>

export const CreateKeyOption = closedObject('CreateKeyOption', {
  title: Type.String({ minLength: 1 }),
  key: Type.String({ minLength: 1 }),
  read_only: Type.Optional(Type.Boolean()),
})
export type CreateKeyOption = Static<typeof CreateKeyOption>
