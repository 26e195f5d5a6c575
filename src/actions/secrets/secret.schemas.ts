import { Type, type Static } from 'typebox'
import { dateTime, object, closedObject } from '../../http/schema.ts'

/** A secret in a list, without its value. */
export const Secret = object('Secret', {
  name: Type.String(),
  created_at: dateTime(),
})
export type Secret = Static<typeof Secret>

export const CreateOrUpdateSecretOption = closedObject(
  'CreateOrUpdateSecretOption',
  { data: Type.String({ minLength: 1 }) },
  { ignored: ['name', 'description'] },
)
