import { anyHolder, type Holder } from '../../access/holder.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import type { UserId } from '../../lib/ids.ts'
import type { UpdateUserAvatarOption } from './avatar.schemas.ts'
import { removeAvatar, setAvatar } from './avatar.service.ts'

interface AvatarOwner {
  readonly of: Parameters<typeof setAvatar>[1]
  readonly doerId: UserId
}

interface AvatarHolder<Rs extends readonly AnyRequirement[]> extends Holder<Rs, AvatarOwner> {
  /** The contract names the same body differently for accounts and repositories. */
  readonly body: typeof UpdateUserAvatarOption
}

/** Declares the operations that change the avatar of an account, an organization or a repository. */
export function avatarOperations<const Rs extends readonly AnyRequirement[]>({ body, ...holder }: AvatarHolder<Rs>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const update = operation({
    method: 'POST',
    path,
    cost: 'usual',
    scope,
    requires: [...requires, validBody],
    body,
    carriesFiles: true,
    reply: { 204: 'empty' },
    summary: 'Set an avatar',
    async run({ ctx, body: { image } }) {
      const { of, doerId } = ownerOf(ctx)
      await setAvatar(ctx, of, image, doerId)
    },
  })
  const remove = operation({
    method: 'DELETE',
    path,
    cost: 'usual',
    scope,
    requires,
    reply: { 204: 'empty' },
    summary: 'Delete an avatar',
    async run({ ctx }) {
      const { of, doerId } = ownerOf(ctx)
      await removeAvatar(ctx, of, doerId)
    },
  })
  return { update, remove }
}
