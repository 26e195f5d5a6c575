import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { UpdateUserAvatarOption } from '../users/avatars/avatar.schemas.ts'
import { removeAvatar, setAvatar } from '../users/avatars/avatar.service.ts'
import { inOrg, orgOwner } from './org.requirements.ts'

export const orgUpdateAvatar = operation({
  method: 'POST',
  path: '/orgs/{org}/avatar',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, validBody],
  body: UpdateUserAvatarOption,
  carriesFiles: true,
  reply: { 204: 'empty' },
  run: ({ ctx, body }) => setAvatar(ctx, { kind: 'organization', id: ctx.org.id }, body.image, ctx.viewer.id),
})

export const orgDeleteAvatar = operation({
  method: 'DELETE',
  path: '/orgs/{org}/avatar',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  run: ({ ctx }) => removeAvatar(ctx, { kind: 'organization', id: ctx.org.id }, ctx.viewer.id),
})
