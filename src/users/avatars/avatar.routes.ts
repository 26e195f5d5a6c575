import { Type } from 'typebox'
import { anyone, signedIn } from '../../access/requirements.ts'
import { fileReplies, serveFile, type ServedFile } from '../../http/file-reply.ts'
import { operation } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { namedUser, userVisible } from '../subject.requirements.ts'
import { avatarUrl } from '../user.present.ts'
import { avatarOperations } from './avatar.operations.ts'
import { UpdateUserAvatarOption } from './avatar.schemas.ts'
import { getAvatar, isDrawn } from './avatar.service.ts'
import { getIdenticon, sideFor } from './identicon.service.ts'

/** The address changes with the picture, so clients may cache it. */
export const pictureCaching = 'public, max-age=21600'

export const { update: userUpdateAvatar, remove: userDeleteAvatar } = avatarOperations({
  path: '/user/avatar',
  scope: 'user',
  requires: [signedIn],
  body: UpdateUserAvatarOption,
  ownerOf: ({ viewer }) => ({ of: { kind: 'individual', id: viewer.id }, doerId: viewer.id }),
})

/** Leads to the picture of an account, for texts and programs that know only its name. */
export const showAvatarOf = operation({
  method: 'GET',
  path: '/{username}.png',
  cost: 'usual',
  base: 'site',
  family: 'downloads',
  scope: 'user',
  requires: [anyone, namedUser, userVisible],
  reply: { 303: 'empty' },
  run: async ({ ctx }) => redirect(303, avatarUrl(ctx, ctx.subject)),
})

/** Serves the stored picture of an account, or one generated from its address, which `size` may ask to be small. */
export const showAvatar = operation({
  method: 'GET',
  path: '/avatars/{hash}',
  cost: 'usual',
  query: { size: Type.Optional(Type.String()) },
  base: 'site',
  family: 'downloads',
  accepts: [],
  scope: null,
  requires: [anyone],
  reply: fileReplies,
  run: async ({ ctx, params, query, call }) => {
    const { hash } = params
    const side = sideFor(Number(query.size ?? Infinity))
    const file: Pick<ServedFile, 'name' | 'etag' | 'cacheControl'> = {
      name: hash,
      etag: hash,
      cacheControl: pictureCaching,
    }
    if (isDrawn(hash)) {
      const picture = await getIdenticon(ctx, hash, side)
      return serveFile(call, {
        ...file,
        etag: `${hash}-${side}`,
        content: Buffer.from(picture.bytes),
        contentType: picture.contentType,
      })
    }
    return serveFile(call, { ...file, content: await getAvatar(ctx, 'avatars', hash) })
  },
})

/** Serves the picture of deleted accounts. */
export const showDefaultAvatar = operation({
  method: 'GET',
  path: '/assets/img/avatar_default.png',
  cost: 'usual',
  base: 'site',
  family: 'downloads',
  accepts: [],
  scope: null,
  requires: [anyone],
  reply: fileReplies,
  async run({ ctx, call }) {
    const picture = await getIdenticon(ctx, 'ghost')
    return serveFile(call, {
      name: 'avatar_default.png',
      content: Buffer.from(picture.bytes),
      contentType: picture.contentType,
      etag: 'ghost',
      cacheControl: pictureCaching,
    })
  },
})
