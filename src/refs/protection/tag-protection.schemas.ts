import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'

const settings = {
  name_pattern: Type.Optional(Type.String()),
  whitelist_usernames: Type.Optional(Type.Array(Type.String())),
  whitelist_teams: Type.Optional(Type.Array(Type.String())),
} as const

export const CreateTagProtectionOption = requestObject('CreateTagProtectionOption', settings)
export type CreateTagProtectionOption = Static<typeof CreateTagProtectionOption>

export const EditTagProtectionOption = requestObject('EditTagProtectionOption', settings)
export type EditTagProtectionOption = Static<typeof EditTagProtectionOption>

export const TagProtection = object('TagProtection', {
  id: Type.Integer(),
  name_pattern: Type.String(),
  whitelist_usernames: nullable(Type.Array(Type.String())),
  whitelist_teams: nullable(Type.Array(Type.String())),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type TagProtection = Static<typeof TagProtection>
