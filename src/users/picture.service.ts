import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Services } from '../access/context.ts'
import { BadRequest } from '../lib/errors.ts'
import type { Blobs } from '../storage/blobs.ts'

/** Bytes of a base64 text; anything else is `BadRequest` (observed). */
function decodeImage(text: string): Buffer {
  const compact = text.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw new BadRequest('the image is not base64', 'image_not_base64')
  return Buffer.from(compact, 'base64')
}

/**
 * Stores a picture that somebody sent as the picture of a thing, made to a square where it is large. The key is made of
 * the thing and the bytes, so another picture has another address.
 * @param owner what it is the picture of, for example `user:17`
 * @returns the key in the store
 */
export async function storePicture(services: Services, store: Blobs, owner: string, image: string): Promise<string> {
  const { picture: limits } = services.config
  const { bytes, contentType } = await services.images.avatar(decodeImage(image), {
    maxFileBytes: limits.avatarMaxFileSize,
    maxOriginBytes: limits.avatarMaxOriginSize,
    maxWidth: limits.avatarMaxWidth,
    maxHeight: limits.avatarMaxHeight,
    sizePixels: 256 * limits.avatarRenderedSizeFactor,
  })
  const key = createHash('sha256').update(owner).update('\0').update(bytes).digest('hex')
  await store.put(key, Readable.from([bytes]), { maxBytes: Infinity, contentType })
  return key
}
