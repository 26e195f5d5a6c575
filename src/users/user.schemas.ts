import { Type, type Static } from 'typebox'
import { dateTime, enumeration, object, requestObject } from '../http/schema.ts'

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

export const CreateUserOption = requestObject('CreateUserOption', {
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
