import { Type, type Static } from 'typebox'
import { object, closedObject } from '../../http/schema.ts'

/** `owner_id` is 0 for a variable of a repository, `repo_id` is 0 for one of an account. */
export const ActionVariable = object('ActionVariable', {
  owner_id: Type.Integer(),
  repo_id: Type.Integer(),
  name: Type.String(),
  data: Type.String(),
})
export type ActionVariable = Static<typeof ActionVariable>

export const CreateVariableOption = closedObject(
  'CreateVariableOption',
  { value: Type.String({ minLength: 1 }) },
  { ignored: ['name', 'description'] },
)

export const UpdateVariableOption = closedObject(
  'UpdateVariableOption',
  {
    name: Type.Optional(Type.String()),
    value: Type.String({ minLength: 1 }),
  },
  { ignored: ['description'] },
)
export type UpdateVariableOption = Static<typeof UpdateVariableOption>
