import { Type, type Static } from 'typebox'
import { closedObject, dateTime, enumeration, nullable, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

export const Invitation = object('Invitation', {
  id: Type.Integer(),
  /** Empty for a link that the inviter hands over. */
  email: Type.String(),
  /** The access of a collaborator; `none` for a team. */
  permission: enumeration('none', 'read', 'write', 'admin', 'owner'),
  /** Null for a repository. */
  team_id: nullable(Type.Integer()),
  inviter: User,
  created_at: dateTime(),
  expires_at: dateTime(),
  /** Only in the answer that creates an invitation for which no mail is sent. */
  link: Type.Optional(Type.String()),
})
export type Invitation = Static<typeof Invitation>

export const CreateRepoInvitationOption = closedObject('CreateRepoInvitationOption', {
  email: Type.Optional(Type.String()),
  permission: Type.Optional(enumeration('read', 'write', 'admin')),
})

export const CreateOrgInvitationOption = closedObject('CreateOrgInvitationOption', {
  team_id: Type.Integer(),
  email: Type.Optional(Type.String()),
})
