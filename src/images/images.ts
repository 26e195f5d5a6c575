import { Worker } from 'node:worker_threads'
import { builtFile } from '../lib/assets.ts'
import { Invalid, TooLarge, Unavailable } from '../lib/errors.ts'
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts'
import type { ImageAnswer, ImageJob, ImageReplyMessage, ImageRequestMessage, Picture } from './image-job.ts'

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
  // The thread does one thing at a time: a deadline ends it, and nobody else's work with it.
  const limit = createConcurrencyLimit({
    running: 1,
    waiting: options.maxQueue,
    refusal: () => new Unavailable('too many pictures are waiting', 'images_busy'),
  })
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  let isClosed = false

  function started(): Worker {
    if (worker !== undefined) return worker
    const fresh = new Worker(builtFile('image-worker.js'), {
      name: 'images',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    fresh.once('exit', () => {
      if (worker === fresh) worker = undefined
    })
    worker = fresh
    return fresh
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const running = worker
    worker = undefined
    await running?.terminate()
  }

  const ask = (job: ImageJob): Promise<ImageAnswer> =>
    limit.run(async () => {
      if (isClosed) throw new Unavailable('the server is stopping', 'stopping')
      clearTimeout(idle)
      const id = ++lastId
      try {
        return await exchange(started(), { id, job }, options.timeoutMs)
      } catch (error) {
        // A thread that is late or broken is replaced.
        await stop()
        throw error
      } finally {
        idle = setTimeout(() => void stop(), idleMs).unref()
      }
    })

  return {
    avatar: async (bytes, limits) => {
      if (bytes.length > limits.maxFileBytes) {
        throw new TooLarge(`an avatar has at most ${limits.maxFileBytes} bytes`, 'avatar_too_large')
      }
      const { maxOriginBytes, maxWidth, maxHeight, sizePixels } = limits
      const timeoutSeconds = Math.max(1, Math.ceil(options.timeoutMs / 1000))
      const answer = await ask({
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
      const answer = await ask({ kind: 'identicon', seed, sizePixels: size })
      if (!answer.ok) throw new Error('an identicon was refused')
      return answer.picture
    },
    close: async () => {
      isClosed = true
      await stop()
    },
  }
}

function exchange(worker: Worker, message: ImageRequestMessage, timeoutMs: number): Promise<ImageAnswer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      // While nothing is asked of it the thread does not keep the process alive.
      worker.unref()
      settle()
    }
    const onMessage = (reply: ImageReplyMessage): void => {
      if (reply.id !== message.id) return
      finish(() => ('answer' in reply ? resolve(reply.answer) : reject(new Error(`image worker: ${reply.defect}`))))
    }
    const onError = (error: Error): void => finish(() => reject(error))
    const onExit = (): void => finish(() => reject(new Unavailable('the image worker ended', 'images_ended')))
    const timer = setTimeout(() => {
      finish(() => reject(new Unavailable('the picture took too long', 'image_timeout')))
    }, timeoutMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(message, [])
  })
}
