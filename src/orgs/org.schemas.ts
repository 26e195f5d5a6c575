import { Type, type Static } from 'typebox'
import { enumeration, object, requestObject } from '../http/schema.ts'

export const Organization = object('Organization', {
  id: Type.Integer(),
  name: Type.String(),
  full_name: Type.String(),
  email: Type.String(),
  avatar_url: Type.String(),
  description: Type.String(),
  website: Type.String(),
  location: Type.String(),
  visibility: Type.String(),
  repo_admin_change_team_access: Type.Boolean(),
  username: Type.String(),
})
export type Organization = Static<typeof Organization>

const profile = {
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  website: Type.Optional(Type.String({ maxLength: 255 })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  visibility: Type.Optional(enumeration('', 'public', 'limited', 'private')),
  repo_admin_change_team_access: Type.Optional(Type.Boolean()),
}

export const CreateOrgOption = requestObject('CreateOrgOption', {
  username: Type.String({ minLength: 1, maxLength: 40 }),
  ...profile,
})
export type CreateOrgOption = Static<typeof CreateOrgOption>

export const EditOrgOption = requestObject('EditOrgOption', profile)
export type EditOrgOption = Static<typeof EditOrgOption>

export const RenameOrgOption = requestObject('RenameOrgOption', { new_name: Type.String({ minLength: 1 }) })
export type RenameOrgOption = Static<typeof RenameOrgOption>

export const OrganizationPermissions = object('OrganizationPermissions', {
  is_owner: Type.Boolean(),
  is_admin: Type.Boolean(),
  can_write: Type.Boolean(),
  can_read: Type.Boolean(),
  can_create_repository: Type.Boolean(),
})
export type OrganizationPermissions = Static<typeof OrganizationPermissions>
