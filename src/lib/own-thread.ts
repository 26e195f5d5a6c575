import { Worker } from 'node:worker_threads'
import { builtFile } from './assets.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { Unavailable } from './errors.ts'

export interface OwnThreadOptions {
  /** Plural name of the inputs, for messages and the thread: `pictures`. */
  readonly name: string
  /** Built entry file: `image-worker.js`. */
  readonly file: string
  /** Timeout of a job, in milliseconds. It ends the thread; the next job starts a new one. */
  readonly timeoutMs: number
  /** Maximum number of waiting jobs. */
  readonly maxQueue: number
  /** Time without work after which the thread ends, in milliseconds. */
  readonly idleMs: number
  /** Heap limit of the thread, in MiB. */
  readonly maxMemoryMb: number
}

/** A job exceeded its time or memory. */
export class ThreadOverrun extends Unavailable {}

/**
 * A thread for work on untrusted input whose time is not bounded by its size. It runs one job at a time, starts with the
 * first job, and ends when it is idle. A job over its limits ends the thread without affecting other work.
 */
export interface OwnThread<Job, Answer> {
  /** @throws Unavailable when too many jobs wait or the program stops; ThreadOverrun when the job exceeds its limits */
  ask(job: Job): Promise<Answer>
  /** Whether the thread is running. */
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
    // An error while no job runs has no caller; without a listener it would end the program.
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
