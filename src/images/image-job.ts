/** What the image worker is asked. */
export type ImageJob = AvatarJob | IdenticonJob

export interface AvatarJob {
  readonly kind: 'avatar'
  readonly bytes: Uint8Array
  /** Largest sides of the given image, in pixels. */
  readonly maxWidth: number
  readonly maxHeight: number
  /** An image of at most so many bytes is kept as it is. */
  readonly maxOriginBytes: number
  /** Side of the square that a larger one is made to, in pixels. */
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

/** What it answers: a picture, or why the given bytes are refused. Anything else is thrown as a defect. */
export type ImageAnswer =
  | { readonly ok: true; readonly picture: Picture }
  | { readonly ok: false; readonly reason: 'not_an_image' | 'too_many_pixels' }

/** The pictures that avatars may be. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp'

/**
 * Tells the format by the first bytes, so that nothing else (SVG, PDF, TIFF) reaches a decoder, whatever a file is
 * called. Signatures are those of the formats' specifications.
 */
export function sniffPicture(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'webp' : undefined
}
