import { Type, type Static } from 'typebox'
import { dateTime, enumeration, object, closedObject, requestObject } from '../http/schema.ts'

export const User = object('User', {
  id: Type.Integer(),
  login: Type.String(),
  login_name: Type.String(),
  source_id: Type.Integer(),
  full_name: Type.String(),
  email: Type.String(),
  avatar_url: Type.String(),
  html_url: Type.String(),
  language: Type.String(),
  is_admin: Type.Boolean(),
  last_login: dateTime(),
  created: dateTime(),
  restricted: Type.Boolean(),
  active: Type.Boolean(),
  prohibit_login: Type.Boolean(),
  location: Type.String(),
  pronouns: Type.String(),
  website: Type.String(),
  description: Type.String(),
  visibility: Type.String(),
  followers_count: Type.Integer(),
  following_count: Type.Integer(),
  starred_repos_count: Type.Integer(),
  username: Type.String(),
})
export type User = Static<typeof User>

export const UserSearchResults = object('UserSearchResults', { ok: Type.Boolean(), data: Type.Array(User) })
export type UserSearchResults = Static<typeof UserSearchResults>

export const CreateUserOption = closedObject('CreateUserOption', {
  source_id: Type.Optional(Type.Integer()),
  login_name: Type.Optional(Type.String()),
  username: Type.String({ minLength: 1, maxLength: 40 }),
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.Optional(Type.String({ maxLength: 255 })),
  must_change_password: Type.Optional(Type.Boolean()),
  send_notify: Type.Optional(Type.Boolean()),
  restricted: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(enumeration('', 'public', 'limited', 'private')),
  created_at: Type.Optional(dateTime()),
})
export type CreateUserOption = Static<typeof CreateUserOption>

export const EditUserOption = closedObject('EditUserOption', {
  source_id: Type.Optional(Type.Integer()),
  login_name: Type.Optional(Type.String({ maxLength: 255 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  full_name: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.String({ maxLength: 255 })),
  must_change_password: Type.Optional(Type.Boolean()),
  website: Type.Optional(Type.String({ maxLength: 255 })),
  location: Type.Optional(Type.String({ maxLength: 50 })),
  pronouns: Type.Optional(Type.String({ maxLength: 50 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  active: Type.Optional(Type.Boolean()),
  admin: Type.Optional(Type.Boolean()),
  allow_git_hook: Type.Optional(Type.Boolean()),
  allow_import_local: Type.Optional(Type.Boolean()),
  max_repo_creation: Type.Optional(Type.Integer({ minimum: -1, maximum: 2_147_483_647 })),
  prohibit_login: Type.Optional(Type.Boolean()),
  allow_create_organization: Type.Optional(Type.Boolean()),
  restricted: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(enumeration('', 'public', 'limited', 'private')),
})
export type EditUserOption = Static<typeof EditUserOption>

export const RenameUserOption = requestObject('RenameUserOption', { new_username: Type.String({ minLength: 1 }) })
export type RenameUserOption = Static<typeof RenameUserOption>
