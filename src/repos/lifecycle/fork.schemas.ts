import { Type, type Static } from 'typebox'
import { requestObject } from '../../http/schema.ts'

export const CreateForkOption = requestObject('CreateForkOption', {
  organization: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
})
export type CreateForkOption = Static<typeof CreateForkOption>
