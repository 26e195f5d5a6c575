import { Worker } from 'node:worker_threads'
import { builtFile } from './assets.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { Unavailable } from './errors.ts'

export interface OwnThreadOptions {
  /** What it works on, in the plural, for messages and as the name of the thread: `pictures`. */
  readonly name: string
  /** The entry, as the build names it: `image-worker.js`. */
  readonly file: string
  /** Longest work on one job, in milliseconds; then the thread ends, and the next job gets a new one. */
  readonly timeoutMs: number
  /** Jobs that may wait. */
  readonly maxQueue: number
  /** How long the thread stays without work, in milliseconds. */
  readonly idleMs: number
  /** Memory of the thread's own objects, in MiB. */
  readonly maxMemoryMb: number
}

/** A job took longer than it may, or more memory. */
export class ThreadOverrun extends Unavailable {}

/**
 * Work whose time grows with what strangers sent, in a thread that does one thing at a time: a deadline ends it, and
 * nobody else's work with it. It is started when there is work and ended when there has been none for a while.
 */
export interface OwnThread<Job, Answer> {
  /** @throws Unavailable when too many wait or the program stops; ThreadOverrun when it took too long or too much memory */
  ask(job: Job): Promise<Answer>
  /** Whether a thread is there at the moment. */
  readonly isRunning: boolean
  close(): Promise<void>
}

export function createOwnThread<Job, Answer>(options: OwnThreadOptions): OwnThread<Job, Answer> {
  const { name } = options
  const limit = createConcurrencyLimit({
    running: 1,
    waiting: options.maxQueue,
    refusal: () => new Unavailable(`too many ${name} are waiting`, `${name}_busy`),
  })
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  let isClosed = false

  function started(): Worker {
    if (worker !== undefined) return worker
    const fresh = new Worker(builtFile(options.file), {
      name,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb, maxYoungGenerationSizeMb: 16 },
    })
    fresh.once('exit', () => {
      if (worker === fresh) worker = undefined
    })
    // An error that comes when nobody waits belongs to nobody; without a listener it would end the program.
    fresh.on('error', () => undefined)
    worker = fresh
    return fresh
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const running = worker
    worker = undefined
    await running?.terminate()
  }

  return {
    ask: (job) =>
      limit.run(async () => {
        if (isClosed) throw new Unavailable('the server is stopping', 'stopping')
        clearTimeout(idle)
        const id = ++lastId
        try {
          return await exchange<Answer>(started(), { id, job }, options)
        } catch (error) {
          // A thread that is late or broken is replaced.
          await stop()
          throw error
        } finally {
          idle = setTimeout(() => void stop(), options.idleMs).unref()
        }
      }),
    get isRunning() {
      return worker !== undefined
    },
    close: async () => {
      isClosed = true
      await stop()
    },
  }
}

interface Reply<Answer> {
  readonly id: number
  readonly answer?: Answer
  readonly defect?: string
}

function exchange<Answer>(
  worker: Worker,
  message: { readonly id: number; readonly job: unknown },
  { name, timeoutMs }: OwnThreadOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      // While nothing is asked of it the thread does not keep the process alive.
      worker.unref()
      settle()
    }
    const onMessage = (reply: Reply<Answer>): void => {
      if (reply.id !== message.id) return
      finish(() =>
        reply.defect === undefined
          ? resolve(reply.answer as Answer)
          : reject(new Error(`the thread of ${name}: ${reply.defect}`)),
      )
    }
    const onError = (error: Error): void => {
      const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      finish(() =>
        reject(isMemory ? new ThreadOverrun(`one of the ${name} took too much memory`, `${name}_memory`) : error),
      )
    }
    const onExit = (): void => finish(() => reject(new Unavailable(`the thread of ${name} ended`, `${name}_ended`)))
    const timer = setTimeout(() => {
      finish(() => reject(new ThreadOverrun(`one of the ${name} took too long`, `${name}_timeout`)))
    }, timeoutMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(message, [])
  })
}
