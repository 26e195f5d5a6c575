import { Invalid, TooLarge } from '../lib/errors.ts'
import { type Asker, createOwnThread, type SpareThreads } from '../lib/own-thread.ts'
import type { ImageAnswer, ImageJob, Picture } from './image-job.ts'

export type { Picture } from './image-job.ts'

export interface ImagesOptions {
  /** Timeout of one image, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum number of waiting images. */
  readonly maxQueue: number
  /** Idle threads of earlier applications; for tests. */
  readonly spares?: SpareThreads | undefined
}

export interface AvatarLimits {
  /** Maximum size of an input file. */
  readonly maxFileBytes: number
  /** Maximum size of a file that is returned unchanged. */
  readonly maxOriginBytes: number
  readonly maxWidth: number
  readonly maxHeight: number
  /** Side of the square of a resized image. */
  readonly sizePixels: number
}

/** Image processing in a thread, which starts on demand and ends when it is idle. */
export interface Images {
  /**
   * Returns an avatar: the input when it is small, else a square PNG from its centre. It accepts PNG, JPEG, GIF and WebP.
   * Throws TooLarge, Invalid (no image, too many pixels), Unavailable (busy, slow).
   */
  avatar(asker: Asker, bytes: Uint8Array, limits: AvatarLimits): Promise<Picture>
  /** Returns a PNG drawn from a text, deterministically. `sizePixels` is 16 to 1024. Throws Unavailable. */
  identicon(asker: Asker, seed: string, sizePixels: number): Promise<Picture>
  close(): Promise<void>
}

const idleMs = 60_000

export function createImages(options: ImagesOptions): Images {
  const thread = createOwnThread<ImageJob, ImageAnswer>({
    name: 'images',
    file: 'image-worker.js',
    ...options,
    // Pictures are read in threads of their own, whose processor time is not counted.
    wallMs: options.timeoutMs,
    idleMs,
    maxMemoryMb: 256,
  })
  return {
    avatar: async (asker, bytes, limits) => {
      if (bytes.length > limits.maxFileBytes) {
        throw new TooLarge(`an avatar has at most ${limits.maxFileBytes} bytes`, 'avatar_too_large')
      }
      const { maxOriginBytes, maxWidth, maxHeight, sizePixels } = limits
      const timeoutSeconds = Math.max(1, Math.ceil(options.timeoutMs / 1000))
      const answer = await thread.ask(
        {
          kind: 'avatar',
          bytes,
          maxOriginBytes,
          maxWidth,
          maxHeight,
          sizePixels,
          timeoutSeconds,
        },
        asker,
      )
      if (answer.ok) return answer.picture
      if (answer.reason === 'not_an_image') {
        throw new Invalid('the file is no PNG, JPEG, GIF or WebP picture', 'not_an_image')
      }
      throw new Invalid(`a picture has at most ${maxWidth} x ${maxHeight} pixels`, 'too_many_pixels')
    },
    identicon: async (asker, seed, sizePixels) => {
      const size = Math.min(1024, Math.max(16, Math.round(sizePixels)))
      const answer = await thread.ask({ kind: 'identicon', seed, sizePixels: size }, asker, `${size} ${seed}`)
      if (!answer.ok) throw new Error('an identicon was refused')
      return answer.picture
    },
    close: () => thread.close(),
  }
}
