import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, closedObject } from '../../http/schema.ts'

const settings = {
  name_pattern: Type.Optional(Type.String()),
  whitelist_usernames: Type.Optional(Type.Array(Type.String())),
  whitelist_teams: Type.Optional(Type.Array(Type.String())),
} as const

/** Clients change a rule that they read, and send it whole. */
const readOnly = { ignored: ['id', 'created_at', 'updated_at'] }

export const CreateTagProtectionOption = closedObject('CreateTagProtectionOption', settings, readOnly)
export type CreateTagProtectionOption = Static<typeof CreateTagProtectionOption>

export const EditTagProtectionOption = closedObject('EditTagProtectionOption', settings, readOnly)
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
