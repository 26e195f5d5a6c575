import { Worker } from 'node:worker_threads'
import { builtFile } from './assets.ts'
import { Unavailable } from './errors.ts'
import { ownWaiting, RecentUse, type User } from './recent-use.ts'
import { type WorkBudget, WorkTooCostly } from './work-budget.ts'

export interface OwnThreadOptions {
  /** Plural name of the inputs, for messages and the thread: `pictures`. */
  readonly name: string
  /** Built entry file: `image-worker.js`. */
  readonly file: string
  /** Processor time of the thread for a job, in milliseconds. A job above it ends the thread; the next job starts a new one. */
  readonly timeoutMs: number
  /** Longest time for a job on the clock; without it six times the processor time. */
  readonly wallMs?: number
  /** Maximum number of waiting jobs. One user may have a quarter, the server itself all. */
  readonly maxQueue: number
  /** Time without work after which the thread ends, in milliseconds. */
  readonly idleMs: number
  /** Heap limit of the thread, in MiB. */
  readonly maxMemoryMb: number
  /** Use that threads of one kind of work share. */
  readonly use?: RecentUse
  /** Takes an idle thread from here and leaves it here at the end, for tests that start many applications. */
  readonly spares?: SpareThreads | undefined
}

/** A thread without a job. */
interface SpareThread {
  readonly worker: Worker
  /** Its processor time so far, in microseconds. */
  readonly usedUs: number
}

/**
 * Idle threads that closed applications leave to later ones, which saves starting them. Only tests start applications one
 * after the other. A thread remembers nothing of its jobs that an answer shows.
 */
export class SpareThreads {
  readonly #spares = new Map<string, SpareThread[]>()

  /** @param mostOfKind most idle threads with the same file and memory */
  constructor(readonly mostOfKind: number) {}

  /** The number of idle threads. */
  get count(): number {
    return [...this.#spares.values()].reduce((sum, each) => sum + each.length, 0)
  }

  take(options: OwnThreadOptions): SpareThread | undefined {
    return this.#of(options).pop()
  }

  /** Returns whether the thread was kept. */
  keep(options: OwnThreadOptions, spare: SpareThread): boolean {
    const kept = this.#of(options)
    if (kept.length >= this.mostOfKind) return false
    kept.push(spare)
    spare.worker.removeAllListeners('exit').removeAllListeners('error')
    spare.worker.on('error', () => undefined)
    spare.worker.once('exit', () => {
      if (kept.includes(spare)) kept.splice(kept.indexOf(spare), 1)
    })
    return true
  }

  #of({ file, maxMemoryMb }: OwnThreadOptions): SpareThread[] {
    const kind = `${file} ${maxMemoryMb}`
    const known = this.#spares.get(kind) ?? []
    this.#spares.set(kind, known)
    return known
  }
}

/** Who asks for work and is charged for it. A context is one. */
export interface Asker {
  /** Undefined for work of the server itself, which has one share. */
  readonly claim?: { readonly viewer: number | undefined; readonly address: string } | undefined
  /** Its signal ends the work; the processor time of the thread is taken from it. */
  readonly budget: Pick<WorkBudget, 'signal' | 'tryTake' | 'spend'>
}

/** A job exceeded its processor time or memory, as it would again. */
export class ThreadOverrun extends Unavailable {}

/** A job got no result in its time on the clock, because the machine is busy: it may succeed another time. */
export class ThreadLate extends Unavailable {}

/**
 * A thread for work on untrusted input whose time is not bounded by its size. It runs one job at a time, starts with the
 * first job, and ends when it is idle. The next job is of the user with the least recent use. A job over its limits ends the
 * thread without affecting other work.
 */
export interface OwnThread<Job, Answer> {
  /**
   * Equal keys share one run.
   * @param wallMs longest time on the clock for this job, when it is not that of the thread
   * @throws Unavailable when too many jobs wait or the program stops; ThreadOverrun when the job exceeds its limits;
   * ThreadLate when the machine is too busy; WorkTooCostly when the asker used up its processor time; the signal's reason
   * when the asker left
   */
  ask(job: Job, asker: Asker, key?: string, wallMs?: number): Promise<Answer>
  /** Whether the thread is running. */
  readonly isRunning: boolean
  /** The number of jobs that began. */
  readonly begun: number
  close(): Promise<void>
}

/** A running job without askers may end by itself in this time, in milliseconds, because a new thread costs about 50 to 150. */
const graceMs = 250

/** How often the start of a thread is looked at, in milliseconds. */
const startingMs = 20

/** The user of work of the server itself. */
const server = 'server'

const userOf = ({ claim }: Asker): User => (claim ? (claim.viewer ?? claim.address) : server)

interface Entry<Job> {
  readonly job: Job
  readonly key: string | undefined
  readonly wallMs: number
  readonly askers: Set<Asker>
  readonly result: PromiseWithResolvers<unknown>
  /** Ends the run; set while it runs. */
  abandon?: () => void
}

export function createOwnThread<Job, Answer>(options: OwnThreadOptions): OwnThread<Job, Answer> {
  const { name, maxQueue } = options
  const { use = new RecentUse() } = options
  const line = new Set<Entry<Job>>()
  let running: Entry<Job> | undefined
  let worker: Worker | undefined
  /** Processor time of the thread at its start or at the end of its last job, in microseconds; undefined while it starts. */
  let usedUs: number | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  let begun = 0
  let isClosed = false

  function started(): Worker {
    if (worker !== undefined) return worker
    const spare = options.spares?.take(options)
    const fresh =
      spare?.worker ??
      new Worker(builtFile(options.file), {
        name,
        env: {},
        // Some options of the process are refused for a file, such as --input-type.
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb, maxYoungGenerationSizeMb: 8 },
      })
    fresh.once('exit', () => {
      if (worker === fresh) worker = undefined
    })
    // An error while no job runs has no caller; without a listener it would end the program.
    fresh.on('error', () => undefined)
    worker = fresh
    usedUs = spare?.usedUs
    if (spare === undefined) {
      fresh.once('message', ({ cpuUs }: Reply<Answer>) => {
        if (worker === fresh) usedUs = cpuUs
      })
    }
    return fresh
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  async function run(entry: Entry<Job>): Promise<void> {
    running = entry
    clearTimeout(idle)
    const askers = [...entry.askers]
    const users = new Set(askers.map(userOf))
    const since = performance.now()
    let usedMs: number | undefined
    begun += 1
    try {
      const abandoned = new AbortController()
      entry.abandon = () => abandoned.abort()
      const message = { id: ++lastId, job: entry.job }
      const reply = await exchange<Answer>(
        started(),
        message,
        () => usedUs,
        { ...options, wallMs: entry.wallMs },
        abandoned.signal,
      )
      usedMs = (reply.cpuUs - (usedUs ?? 0)) / 1000
      usedUs = reply.cpuUs
      if (reply.defect !== undefined) throw new Error(`the thread of ${name}: ${reply.defect}`)
      entry.result.resolve(reply.answer)
    } catch (error) {
      // A thread that is late or broken is replaced.
      await stop()
      entry.result.reject(error)
    } finally {
      // A job without a result is charged its time on the clock, which a busy machine makes longer than its work.
      const chargedMs = usedMs ?? Math.min(options.timeoutMs, performance.now() - since)
      for (const user of users) use.note(user, chargedMs / users.size)
      for (const { budget } of askers) budget.spend('threadUs', 1000 * chargedMs)
      running = undefined
      idle = setTimeout(() => void stop(), options.idleMs).unref()
      serve()
    }
  }

  const useOf = ({ askers }: Entry<Job>): number => Math.min(...[...askers].map((asker) => use.of(userOf(asker))))

  function refuse(entry: Entry<Job>, reason: Error): void {
    line.delete(entry)
    entry.result.reject(reason)
    serve()
  }

  /** Makes room in a full line: the last waiting job of the user with the most use goes, if that is not the new one. */
  function tryMakeRoom(user: User): boolean {
    const most = use.least([...line].toReversed(), (entry) => -useOf(entry))
    if (most === undefined || useOf(most) <= use.of(user)) return false
    refuse(most, busy())
    return true
  }

  const busy = (): Unavailable => new Unavailable(`too many ${name} are waiting`, `${name}_busy`)

  function serve(): void {
    if (running !== undefined) return
    const next = use.least(line, useOf)
    if (next === undefined) return
    line.delete(next)
    if (isClosed) refuse(next, new Unavailable('the server is stopping', 'stopping'))
    // All askers of equal work get the result that one of them pays for.
    else if ([...next.askers].some(({ budget }) => budget.tryTake('threadUs', 1))) void run(next)
    else refuse(next, new WorkTooCostly('threadUs'))
  }

  function leave(entry: Entry<Job>, asker: Asker): void {
    entry.askers.delete(asker)
    if (entry.askers.size > 0) return
    line.delete(entry)
    entry.abandon?.()
  }

  function enter(job: Job, asker: Asker, key: string | undefined, wallMs: number): Entry<Job> {
    const same = (each: Entry<Job> | undefined): boolean =>
      key !== undefined && each?.key === key && each.askers.size > 0
    const shared = same(running) ? running : [...line].find(same)
    if (shared) {
      shared.askers.add(asker)
      return shared
    }
    const user = userOf(asker)
    const own = [...line].filter(({ askers }) => [...askers].some((each) => userOf(each) === user)).length
    if (user !== server && own >= ownWaiting(maxQueue)) throw busy()
    if (line.size >= maxQueue && !tryMakeRoom(user)) throw busy()
    const entry: Entry<Job> = { job, key, wallMs, askers: new Set([asker]), result: Promise.withResolvers() }
    // Its askers may all have left.
    entry.result.promise.catch(() => undefined)
    line.add(entry)
    return entry
  }

  return {
    async ask(job, { claim, budget }, key, wallMs = options.wallMs ?? 6 * options.timeoutMs) {
      const { signal } = budget
      signal?.throwIfAborted()
      // A copy, because calls of one request have one context and each leaves by itself.
      const asker: Asker = { claim, budget }
      const entry = enter(job, asker, key, wallMs)
      const left = Promise.withResolvers<never>()
      const onAbort = (): void => {
        leave(entry, asker)
        left.reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      serve()
      try {
        return (await Promise.race([entry.result.promise, left.promise])) as Answer
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
    },
    get isRunning() {
      return worker !== undefined
    },
    get begun() {
      return begun
    },
    close: async () => {
      isClosed = true
      const isIdle = worker !== undefined && usedUs !== undefined && running === undefined
      if (isIdle && options.spares?.keep(options, { worker: worker!, usedUs: usedUs! })) {
        clearTimeout(idle)
        worker = undefined
      }
      await stop()
    },
  }
}

interface Reply<Answer> {
  readonly id: number
  readonly answer?: Answer
  readonly defect?: string
  /** Processor time of the thread so far, in microseconds. */
  readonly cpuUs: number
}

/** @param usedUs returns the processor time that the thread used before the job; undefined while it starts */
function exchange<Answer>(
  worker: Worker,
  message: { readonly id: number; readonly job: unknown },
  usedUs: () => number | undefined,
  { name, timeoutMs, wallMs }: OwnThreadOptions & { readonly wallMs: number },
  abandoned: AbortSignal,
): Promise<Reply<Answer>> {
  return new Promise((resolve, reject) => {
    const since = performance.now()
    let timer: NodeJS.Timeout | undefined
    let isFinished = false
    const finish = (settle: () => void): void => {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      clearTimeout(late)
      abandoned.removeEventListener('abort', onAbandoned)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      // While nothing is asked of it the thread does not keep the process alive.
      worker.unref()
      settle()
    }
    const onMessage = (reply: Reply<Answer>): void => {
      if (reply.id === message.id) finish(() => resolve(reply))
    }
    const onError = (error: Error): void => {
      const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      finish(() =>
        reject(isMemory ? new ThreadOverrun(`one of the ${name} took too much memory`, `${name}_memory`) : error),
      )
    }
    const onExit = (): void => finish(() => reject(new Unavailable(`the thread of ${name} ended`, `${name}_ended`)))
    const look = async (): Promise<void> => {
      const before = usedUs()
      if (before === undefined) return watch(startingMs)
      const { user, system } = await worker.cpuUsage()
      if (isFinished) return
      const leftMs = timeoutMs - (user + system - before) / 1000
      if (leftMs > 0) watch(Math.max(leftMs, 1))
      else finish(() => reject(new ThreadOverrun(`one of the ${name} took too long`, `${name}_timeout`)))
    }
    /** Looks at the clock of the thread when it can have used up its time at the earliest. */
    const watch = (leftMs: number): void => {
      // An error means that the thread ended, which has its own event.
      timer = setTimeout(() => void look().catch(() => undefined), leftMs)
    }
    const onAbandoned = (): void => {
      setTimeout(
        () => finish(() => reject(abandoned.reason)),
        Math.max(0, graceMs - (performance.now() - since)),
      ).unref()
    }
    const late = setTimeout(
      () => finish(() => reject(new ThreadLate(`one of the ${name} took too long`, `${name}_timeout`))),
      wallMs,
    )
    watch(timeoutMs)
    abandoned.addEventListener('abort', onAbandoned, { once: true })
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(message, [])
  })
}
