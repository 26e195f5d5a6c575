import { Type, type Static } from 'typebox'
import { dateTime, object, closedObject } from '../../http/schema.ts'

export const AccessToken = object('AccessToken', {
  id: Type.Integer(),
  name: Type.String(),
  sha1: Type.String(),
  token_last_eight: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: dateTime(),
  last_used_at: dateTime(),
})
export type AccessToken = Static<typeof AccessToken>

export const CreateAccessTokenOption = closedObject('CreateAccessTokenOption', {
  name: Type.String({ minLength: 1 }),
  scopes: Type.Optional(Type.Array(Type.String())),
})
export type CreateAccessTokenOption = Static<typeof CreateAccessTokenOption>
