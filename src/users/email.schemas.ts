import { Type, type Static } from 'typebox'
import { object, closedObject, requestObject } from '../http/schema.ts'

export const Email = object('Email', {
  email: Type.String(),
  verified: Type.Boolean(),
  primary: Type.Boolean(),
  user_id: Type.Integer(),
  username: Type.String(),
})
export type Email = Static<typeof Email>

const emails = { emails: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })) }

export const CreateEmailOption = closedObject('CreateEmailOption', emails)
export type CreateEmailOption = Static<typeof CreateEmailOption>

export const DeleteEmailOption = requestObject('DeleteEmailOption', emails)
export type DeleteEmailOption = Static<typeof DeleteEmailOption>
