/** A job of the image worker. */
export type ImageJob = AvatarJob | IdenticonJob

export interface AvatarJob {
  readonly kind: 'avatar'
  readonly bytes: Uint8Array
  /** Maximum width and height of the input, in pixels. */
  readonly maxWidth: number
  readonly maxHeight: number
  /** A smaller image is returned unchanged. In bytes. */
  readonly maxOriginBytes: number
  /** Side of the resulting square, in pixels. */
  readonly sizePixels: number
  readonly timeoutSeconds: number
}

export interface IdenticonJob {
  readonly kind: 'identicon'
  readonly seed: string
  readonly sizePixels: number
}

export interface Picture {
  readonly bytes: Uint8Array
  readonly contentType: string
}

/** The result: an image, or the reason of a refusal. Other errors are defects. */
export type ImageAnswer =
  | { readonly ok: true; readonly picture: Picture }
  | { readonly ok: false; readonly reason: 'not_an_image' | 'too_many_pixels' }

/** Accepted formats of avatars. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp'

/** Returns the format by the first bytes, so that no other format (SVG, PDF, TIFF) reaches a decoder. */
export function sniffPicture(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'webp' : undefined
}
