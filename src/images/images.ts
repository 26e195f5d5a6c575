import { Invalid, TooLarge } from '../lib/errors.ts'
import { createOwnThread } from '../lib/own-thread.ts'
import type { ImageAnswer, ImageJob, Picture } from './image-job.ts'

export type { Picture } from './image-job.ts'

export interface ImagesOptions {
  /** Longest work on one picture, in milliseconds. */
  readonly timeoutMs: number
  /** Pictures that may wait. */
  readonly maxQueue: number
}

export interface AvatarLimits {
  /** Largest file that is accepted. */
  readonly maxFileBytes: number
  /** Largest file that is kept as it is. */
  readonly maxOriginBytes: number
  readonly maxWidth: number
  readonly maxHeight: number
  /** Side of the square that a larger picture is made to. */
  readonly sizePixels: number
}

/** Work on pictures, in a thread of its own that is started when needed and ended after a while without work. */
export interface Images {
  /**
   * A picture fit to be an avatar: the given one when it is small, else a square PNG from its middle. PNG, JPEG, GIF
   * and WebP are accepted. Throws TooLarge, Invalid (no picture, too many pixels), Unavailable (busy, slow).
   */
  avatar(bytes: Uint8Array, limits: AvatarLimits): Promise<Picture>
  /** A PNG drawn from a text, the same for the same text. `sizePixels` from 16 to 1024. Throws Unavailable. */
  identicon(seed: string, sizePixels: number): Promise<Picture>
  close(): Promise<void>
}

const idleMs = 60_000

export function createImages(options: ImagesOptions): Images {
  const thread = createOwnThread<ImageJob, ImageAnswer>({
    name: 'images',
    file: 'image-worker.js',
    ...options,
    idleMs,
    maxMemoryMb: 256,
  })
  return {
    avatar: async (bytes, limits) => {
      if (bytes.length > limits.maxFileBytes) {
        throw new TooLarge(`an avatar has at most ${limits.maxFileBytes} bytes`, 'avatar_too_large')
      }
      const { maxOriginBytes, maxWidth, maxHeight, sizePixels } = limits
      const timeoutSeconds = Math.max(1, Math.ceil(options.timeoutMs / 1000))
      const answer = await thread.ask({
        kind: 'avatar',
        bytes,
        maxOriginBytes,
        maxWidth,
        maxHeight,
        sizePixels,
        timeoutSeconds,
      })
      if (answer.ok) return answer.picture
      if (answer.reason === 'not_an_image') {
        throw new Invalid('the file is no PNG, JPEG, GIF or WebP picture', 'not_an_image')
      }
      throw new Invalid(`a picture has at most ${maxWidth} x ${maxHeight} pixels`, 'too_many_pixels')
    },
    identicon: async (seed, sizePixels) => {
      const size = Math.min(1024, Math.max(16, Math.round(sizePixels)))
      const answer = await thread.ask({ kind: 'identicon', seed, sizePixels: size })
      if (!answer.ok) throw new Error('an identicon was refused')
      return answer.picture
    },
    close: () => thread.close(),
  }
}
