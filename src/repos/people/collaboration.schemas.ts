import { Type, type Static } from 'typebox'
import { nullable, object, closedObject } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

/** Values other than read, write and admin are ignored (observed). */
export const AddCollaboratorOption = closedObject('AddCollaboratorOption', {
  permission: Type.Optional(Type.String()),
})
export type AddCollaboratorOption = Static<typeof AddCollaboratorOption>

export const RepoCollaboratorPermission = object('RepoCollaboratorPermission', {
  permission: Type.String(),
  role_name: Type.String(),
  user: nullable(User),
})
export type RepoCollaboratorPermission = Static<typeof RepoCollaboratorPermission>
