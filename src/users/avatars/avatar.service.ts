import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Ctx, Services } from '../../access/context.ts'
import { storedContent, type StoredContent } from '../../access/contributions/stored-content.ts'
import { transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { swapAvatarKey, type PictureOf } from './avatar.store.ts'

/** Store of the pictures of each kind. */
const storeOf = { individual: 'avatars', organization: 'avatars', repo: 'repoAvatars' } as const

/** Side of a stored picture, in pixels, before `[picture].AVATAR_RENDERED_SIZE_FACTOR`. */
const shownSizePixels = 256

/** Returns the storage key of a picture by the name in its address. */
const keyOf = (name: string): string => `${name.slice(0, 2)}/${name}`

/**
 * Sets the picture of an account or repository from base64. Throws `BadRequest` for other text, and `Invalid` for a
 * file that is too large, has too many pixels, or is not PNG, JPEG, GIF or WebP. The address changes each time.
 */
export async function setAvatar(services: Ctx, of: PictureOf, image: string, doerId: UserId): Promise<void> {
  const { bytes, contentType } = await fitPicture(services, image)
  const blobs = services.blobs[storeOf[of.kind]]
  const key = keyOf(randomBytes(32).toString('hex'))
  await blobs.put(key, Readable.from([bytes]), { maxBytes: bytes.length, contentType })
  try {
    await replace(services, of, key, doerId)
  } catch (error) {
    await blobs.delete(key)
    throw error
  }
}

/** Removes the stored picture, if any; the generated one is shown again. */
export const removeAvatar = (services: Services, of: PictureOf, doerId: UserId): Promise<void> =>
  replace(services, of, '', doerId)

async function replace(services: Services, of: PictureOf, key: string, doerId: UserId): Promise<void> {
  await transaction(services.db, async (tx) => {
    const replaced = await swapAvatarKey(tx, of, key)
    if (replaced === undefined) throw new NotFound('the owner of the picture no longer exists')
    if (replaced !== '') await publish(tx, 'avatar.replaced', { store: storeOf[of.kind], key: replaced })
    if (replaced === key) return
    const old = { doerId, oldAvatarKey: replaced }
    if (of.kind === 'repo') await publish(tx, 'repo.updated', { repoId: of.id, ...old })
    else if (of.kind === 'organization') await publish(tx, 'org.edited', { orgId: of.id, ...old })
    else await publish(tx, 'user.edited', { userId: of.id, ...old })
  })
}

async function fitPicture(ctx: Ctx, image: string) {
  const { config, images } = ctx
  const compact = image.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw new BadRequest('the image is not base64', 'not_base64')
  const { picture } = config
  const bytes = Buffer.from(compact, 'base64')
  if (bytes.length > picture.avatarMaxFileSize) {
    throw new Invalid(`an avatar has at most ${picture.avatarMaxFileSize} bytes`, 'avatar_too_large')
  }
  return images.avatar(ctx, bytes, {
    maxFileBytes: picture.avatarMaxFileSize,
    maxOriginBytes: picture.avatarMaxOriginSize,
    maxWidth: picture.avatarMaxWidth,
    maxHeight: picture.avatarMaxHeight,
    sizePixels: shownSizePixels * picture.avatarRenderedSizeFactor,
  })
}

/** Returns a stored picture by the name in its address; throws `NotFound`. */
export async function getAvatar(
  { blobs }: Services,
  store: 'avatars' | 'repoAvatars',
  name: string,
): Promise<StoredContent> {
  const none = () => new NotFound('the picture does not exist', 'avatar_not_found')
  const picture = /^[0-9a-f]{64}$/.test(name) ? await storedContent(blobs[store], keyOf(name), none) : undefined
  if (!picture) throw none()
  return picture
}

/** Returns whether the name stands for a generated picture. */
export const isDrawn = (name: string): boolean => /^[0-9a-f]{32}$/.test(name)
