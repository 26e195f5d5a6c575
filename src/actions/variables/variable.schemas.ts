import { Type, type Static } from 'typebox'
import { object, requestObject } from '../../http/schema.ts'

/** `owner_id` is 0 for a variable of a repository, `repo_id` is 0 for one of an account. */
export const ActionVariable = object('ActionVariable', {
  owner_id: Type.Integer(),
  repo_id: Type.Integer(),
  name: Type.String(),
  data: Type.String(),
})
export type ActionVariable = Static<typeof ActionVariable>

export const CreateVariableOption = requestObject('CreateVariableOption', {
  value: Type.String({ minLength: 1 }),
})

export const UpdateVariableOption = requestObject('UpdateVariableOption', {
  name: Type.Optional(Type.String()),
  value: Type.String({ minLength: 1 }),
})
export type UpdateVariableOption = Static<typeof UpdateVariableOption>
