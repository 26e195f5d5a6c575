import { signedIn } from '../access/requirements.ts'
import { avatarOperations } from '../users/avatars/avatar.operations.ts'
import { UpdateUserAvatarOption } from '../users/avatars/avatar.schemas.ts'
import { inOrg, orgOwner } from './org.requirements.ts'

export const { update: orgUpdateAvatar, remove: orgDeleteAvatar } = avatarOperations({
  path: '/orgs/{org}/avatar',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  body: UpdateUserAvatarOption,
  ownerOf: ({ org, viewer }) => ({ of: { kind: 'organization', id: org.id }, doerId: viewer.id }),
})
