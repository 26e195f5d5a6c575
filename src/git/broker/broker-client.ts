import { AsyncResource } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { Invalid, type Refusal, TooLarge, Unavailable } from '../../lib/errors.ts'
import { asFleeting, releaseChunk, isFleeting } from '../../lib/fleeting.ts'
import { fullDisk, saysFullDisk } from '../../lib/full-disk.ts'
import type { BegunCommand, CommandReport, GitLimits, LogLevel } from '../git-options.ts'
import type { GitService } from '../git-service.ts'
import { BrokerProcess, type SpareBrokers } from './broker-process.ts'
import type {
  BrokerMessage,
  BrokerRequest,
  BrokerSettings,
  CatCommand,
  HookAnswer,
  HookQuestion,
  RunRequest,
  RunResult,
} from './protocol.ts'
import { ChannelClosed, RemoteFailure, type WireStream } from './wire.ts'

export type BrokerOptions = {
  readonly brokerFile: string
  readonly gitBinary: string
  readonly environment: Readonly<Record<string, string>>
  readonly limits: GitLimits
  readonly log: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  readonly onCommand: (report: CommandReport) => void
  readonly onBegin?: ((command: BegunCommand) => void) | undefined
  /** Called with the folder of a command that writes and did not end well. */
  readonly onUncleanEnd?: (cwd: string) => void
  readonly spares?: SpareBrokers | undefined
}

/** A one-shot command, before defaults are applied. */
export type CommandOptions = {
  /** The subcommand comes first: `['log', …]`. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  readonly kind?: RunRequest['kind']
  readonly name?: string
  readonly input?: Buffer | Readable
  readonly timeoutMs?: number
  readonly idleMs?: number
  readonly signal?: AbortSignal
  readonly onQuestion?: (question: HookQuestion) => Promise<HookAnswer>
  /** Whether a reader that disconnects ends the command; default yes. */
  readonly mayCancel?: () => boolean
  /** Whether a command that exits with 0 left no temporary files; default yes. */
  readonly isClean?: () => boolean
}

export type CommandEnd = { readonly exitCode: number; readonly stderr: string }
export type CommandOutput = CommandEnd & { readonly stdout: Buffer }

/** Kinds of commands that write into their repository. */
const writingKinds: ReadonlySet<RunRequest['kind']> = new Set(['write', 'push', 'maintenance'])

const maxBackOffMs = 10_000
/** A broker that lived this long restarts without delay. */
const goodLifeMs = 30_000
const closeDeadlineMs = 5000

/**
 * The server's end of the git broker. It starts the broker on first use, restarts it when it dies, lets it exit when
 * idle, and turns its streams into promises and Readables.
 */
export class BrokerClient {
  readonly #options: BrokerOptions
  /** Running process groups that the broker reported; they are killed when the broker dies. */
  readonly #groups = new Set<number>()
  /** The broker that starts or runs; undefined while no broker is needed. */
  #starting: Promise<BrokerProcess> | undefined
  #running: BrokerProcess | undefined
  #usedMs = 0
  /** The broker that was started last; it may have ended. */
  #broker: BrokerProcess | undefined
  #closed = false
  #failures = 0
  #startedMs = 0

  constructor(options: BrokerOptions) {
    this.#options = options
  }

  /** Runs a command and collects its output. Throws `TooLarge` above `maxBytes`. */
  async run(options: CommandOptions & { maxBytes?: number }): Promise<CommandOutput> {
    const maxBytes = options.maxBytes ?? 64 << 20
    const chunks: Buffer[] = []
    let bytes = 0
    const end = await this.each(options, (chunk) => {
      bytes += chunk.length
      chunks.push(chunk)
      return bytes <= maxBytes
    })
    if (bytes > maxBytes) {
      throw new TooLarge(
        `the output of git ${options.args[0]} is larger than ${maxBytes} bytes`,
        'git_output_too_large',
      )
    }
    return { ...end, stdout: joined(chunks) }
  }

  /**
   * Runs a command and passes each piece of output to `take`, which ends the command by returning false; the exit code
   * is 0 then.
   */
  async each(options: CommandOptions, take: (chunk: Buffer) => boolean): Promise<CommandEnd> {
    const { stream, ended } = await this.#begin(options, false)
    let enough = false
    stream.handlers.data = (chunk) => {
      if (!enough && !take(chunk)) {
        enough = true
        stream.cancel()
      }
      stream.consumed(chunk.length)
    }
    try {
      return await ended
    } catch (error) {
      if (enough) return { exitCode: 0, stderr: '' }
      throw error
    }
  }

  /**
   * Runs a command whose output is read with back-pressure, in fleeting pieces (lib/fleeting.ts). Destroying the output
   * kills the command.
   */
  async stream(options: CommandOptions): Promise<GitService> {
    const { stream, ended } = await this.#begin(options, true)
    let done = false
    const output = new Readable({
      highWaterMark: 256 << 10,
      read: () => {
        const bytes = unacknowledged
        unacknowledged = 0
        if (bytes > 0) stream.consumed(bytes)
      },
      destroy: (error, callback) => {
        if (!done && (options.mayCancel?.() ?? true)) stream.cancel()
        stream.consumed(unacknowledged)
        callback(error)
      },
    })
    // Credit is returned when the reader wants more, not when bytes arrive. This is the back-pressure.
    let unacknowledged = 0
    stream.handlers.data = (chunk) => {
      const { length } = chunk
      if (output.destroyed || output.push(chunk)) stream.consumed(length)
      else unacknowledged += length
    }
    const finished = ended.then(
      (end) => {
        done = true
        output.push(null)
        return end
      },
      (error: unknown) => {
        done = true
        if (!output.destroyed) output.destroy(Error.isError(error) ? error : new Error(String(error)))
        throw error
      },
    )
    // A caller that reads only the output gets the failure from the stream.
    finished.catch(() => undefined)
    output.on('error', () => undefined)
    return { output: asFleeting(output), finished }
  }

  /** Returns the raw replies of `cat-file --batch-command`. Throws `TooLarge` above `maxBytes`. */
  async cat(
    directory: string,
    environment: Readonly<Record<string, string>> | undefined,
    commands: readonly CatCommand[],
    maxBytes: number,
  ): Promise<Buffer> {
    const { small } = await this.#ready()
    const stream = small.open({ op: 'cat', directory, environment, commands } satisfies BrokerRequest)
    const chunks: Buffer[] = []
    let bytes = 0
    return new Promise((resolve, reject) => {
      stream.handlers = {
        data: (chunk) => {
          bytes += chunk.length
          if (bytes <= maxBytes) chunks.push(chunk)
          else stream.cancel()
          stream.consumed(chunk.length)
        },
        result: () => resolve(joined(chunks)),
        failure: (error) =>
          reject(
            bytes > maxBytes
              ? new TooLarge(`objects are larger than ${maxBytes} bytes`, 'git_object_too_large')
              : asRefusal(error),
          ),
      }
    })
  }

  /** Ends the pooled readers of a repository, or of one of its quarantines. */
  async release(directory: string, quarantine?: string): Promise<void> {
    if (this.#starting === undefined) return
    const { small } = await this.#ready()
    await finish(small.open({ op: 'release', directory, quarantine } satisfies BrokerRequest))
  }

  /** Ends the broker and its children. Calls under way fail with `Unavailable`. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const running = await this.#starting?.catch(() => undefined)
    if (running !== undefined && (await this.#leave(running))) return
    const child = this.#broker?.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
    })
    running?.close()
    const timer = setTimeout(() => child.kill('SIGKILL'), closeDeadlineMs)
    await exited
    clearTimeout(timer)
    this.#killGroups()
  }

  /** Leaves an idle broker to a later client. Returns whether it was kept. */
  async #leave(broker: BrokerProcess): Promise<boolean> {
    const { brokerFile, spares } = this.#options
    if (spares === undefined || broker.isBusy || this.#groups.size > 0 || this.#running !== broker) return false
    // Ends its readers.
    const isFresh = await this.#configure(broker).then(
      () => true,
      () => false,
    )
    if (!isFresh || !spares.keep(brokerFile, broker)) return false
    // It is no longer this client's, whose timer would let it exit.
    this.#running = this.#starting = undefined
    return true
  }

  async #begin(options: CommandOptions, bulk: boolean): Promise<{ stream: WireStream; ended: Promise<CommandEnd> }> {
    const { signal } = options
    const kind = options.kind ?? 'read'
    const name = options.name ?? subcommandOf(options.args)
    this.#options.onBegin?.({ name, kind })
    const running = await this.#ready()
    if (signal?.aborted === true) throw cancelled()
    const { limits } = this.#options
    const stream = (bulk ? running.bulk : running.small).open({
      op: 'run',
      name,
      kind,
      args: options.args,
      cwd: options.cwd,
      environment: { ...(isForClients(kind) ? {} : { GIT_DIR: options.cwd }), ...options.environment },
      input: options.input !== undefined,
      timeoutMs: options.timeoutMs ?? (isForClients(kind) ? limits.transportTimeoutMs : limits.commandTimeoutMs),
      idleMs: options.idleMs,
      hooks: options.onQuestion !== undefined,
    } satisfies BrokerRequest)
    const beganMs = performance.now()
    let group: number | undefined
    const mayCancel = options.mayCancel ?? (() => true)
    // The broker's socket has the asynchronous context of the request that started the broker.
    const onQuestion = options.onQuestion && AsyncResource.bind(options.onQuestion)
    const onAbort = (): void => {
      if (mayCancel()) stream.cancel()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const settled = (exitCode: number | undefined, died: boolean): void => {
      signal?.removeEventListener('abort', onAbort)
      // When the broker dies, `onEnd` kills its groups and then forgets them.
      if (group !== undefined && !died) this.#groups.delete(group)
      this.#options.onCommand({ name, ms: performance.now() - beganMs, exitCode })
      const isClean = exitCode === 0 && options.isClean?.() !== false
      if (!isClean && writingKinds.has(kind)) this.#options.onUncleanEnd?.(options.cwd)
    }
    const ended = new Promise<CommandEnd>((resolve, reject) => {
      stream.handlers = {
        message: (message) => {
          const received = message as BrokerMessage
          if ('started' in received) {
            group = received.started
            this.#groups.add(group)
          } else void answer(stream, received.question, onQuestion)
        },
        result: (result) => {
          const { exitCode, stderr } = result as RunResult
          settled(exitCode, false)
          // Transports send their own messages to the client.
          if (exitCode !== 0 && !isForClients(kind) && saysFullDisk(stderr)) reject(fullDisk())
          else resolve({ exitCode, stderr })
        },
        failure: (error) => {
          settled(undefined, error instanceof ChannelClosed)
          reject(signal?.aborted === true ? cancelled() : asRefusal(error))
        },
      }
    })
    // The caller may not await this promise yet.
    ended.catch(() => undefined)
    if (options.input !== undefined) feed(stream, options.input, mayCancel)
    return { stream, ended }
  }

  async #ready(): Promise<BrokerProcess> {
    if (this.#closed) throw new Unavailable('git is closed', 'git_unavailable')
    this.#usedMs = performance.now()
    if (this.#running !== undefined) return this.#running
    this.#starting ??= this.#start()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Unavailable('the git broker did not start', 'git_unavailable')),
        this.#options.limits.waitMs,
      )
    })
    try {
      return await Promise.race([this.#starting, late])
    } catch (error) {
      throw asRefusal(error)
    } finally {
      clearTimeout(timer)
    }
  }

  async #start(): Promise<BrokerProcess> {
    const { brokerFile, log, limits, spares } = this.#options
    this.#startedMs = Date.now()
    const owner = {
      ended: (): void => {
        this.#running = undefined
        broker.child.kill('SIGKILL')
        broker.close()
        this.#killGroups()
        if (!this.#closed) this.#restart()
      },
      wrote: (text: string): void => log('error', 'git broker', { text: text.slice(0, 4000) }),
    }
    const broker = spares?.take(brokerFile) ?? new BrokerProcess(brokerFile, owner)
    broker.owner = owner
    this.#broker = broker
    await this.#configure(broker)
    if (!broker.hasEnded) {
      this.#running = broker
      this.#restLater(broker, limits.brokerIdleMs)
    }
    return broker
  }

  async #configure({ small }: BrokerProcess): Promise<void> {
    const { gitBinary, environment, limits } = this.#options
    await finish(
      small.open({
        op: 'settings',
        gitBinary,
        environment,
        slots: {
          read: limits.readProcesses,
          write: limits.writeProcesses,
          fetch: limits.fetchProcesses,
          push: limits.pushProcesses,
          archive: limits.archiveProcesses,
          download: limits.downloadProcesses,
          maintenance: 1,
        },
        waiting: limits.waiting,
        waitMs: limits.waitMs,
        pooledProcesses: limits.pooledProcesses,
        pooledIdleMs: limits.pooledIdleMs,
        readTimeoutMs: limits.readTimeoutMs,
        hookTimeoutMs: limits.hookTimeoutMs,
        maxHookBytes: limits.maxRefUpdates * 1400 + (1 << 20),
      } satisfies BrokerSettings),
    )
  }

  /** Lets the broker exit without a restart, together with its readers. */
  #rest(broker: BrokerProcess): void {
    this.#running = this.#starting = undefined
    broker.owner = undefined
    broker.close()
    const timer = setTimeout(() => broker.child.kill('SIGKILL'), closeDeadlineMs).unref()
    broker.child.once('exit', () => clearTimeout(timer))
  }

  /** Lets the broker exit when nothing is under way and no request came for `brokerIdleMs`. */
  #restLater(running: BrokerProcess, ms: number): void {
    const { brokerIdleMs } = this.#options.limits
    setTimeout(() => {
      if (this.#running !== running) return
      const leftMs = running.isBusy ? brokerIdleMs : this.#usedMs + brokerIdleMs - performance.now()
      if (leftMs > 0) this.#restLater(running, leftMs)
      else this.#rest(running)
    }, ms).unref()
  }

  #restart(): void {
    this.#failures = Date.now() - this.#startedMs > goodLifeMs ? 0 : this.#failures + 1
    const delayMs = this.#failures <= 1 ? 0 : Math.min(maxBackOffMs, 50 * 2 ** this.#failures)
    this.#options.log('error', 'the git broker ended and restarts', { delayMs })
    this.#starting = new Promise<BrokerProcess>((resolve, reject) => {
      setTimeout(() => {
        if (this.#closed) reject(new Unavailable('git is closed', 'git_unavailable'))
        else this.#start().then(resolve, reject)
      }, delayMs)
    })
    // The next caller sees the failure.
    this.#starting.catch(() => undefined)
  }

  #killGroups(): void {
    for (const group of this.#groups) {
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // The group has ended.
      }
    }
    this.#groups.clear()
  }
}

/** Kinds of commands that talk to clients: they run long and report their own errors. */
/** Returns the subcommand; settings (`-c key=value`) may come before it. */
const subcommandOf = (args: readonly string[]): string =>
  args.find((argument, index) => !argument.startsWith('-') && args[index - 1] !== '-c') ?? 'git'

const isForClients = (kind: RunRequest['kind']): boolean => kind === 'fetch' || kind === 'push' || kind === 'archive'

/** Concatenates pieces that have no other owner and frees them. */
function joined(pieces: readonly Buffer[]): Buffer {
  if (pieces.length === 1) return pieces[0]!
  const whole = Buffer.concat(pieces)
  for (const piece of pieces) releaseChunk(piece)
  return whole
}

const cancelled = (): Refusal => new Unavailable('the request was cancelled', 'git_cancelled')

function asRefusal(error: unknown): Error {
  if (error instanceof ChannelClosed) return new Unavailable('the git broker ended', 'git_unavailable')
  if (!(error instanceof RemoteFailure)) return Error.isError(error) ? error : new Error(String(error))
  const { reason, message } = error.failure
  if (reason === 'defect') return error
  if (reason === 'limit') return new TooLarge(message, 'git_limit')
  if (reason === 'busy') return new Unavailable(message, 'git_busy')
  if (reason === 'timeout') return new Unavailable(message, 'git_timeout')
  if (reason === 'cancelled') return cancelled()
  return new Unavailable(message, 'git_unavailable')
}

const finish = (stream: WireStream): Promise<unknown> =>
  new Promise((resolve, reject) => {
    stream.handlers = { result: resolve, failure: (error) => reject(asRefusal(error)) }
  })

async function answer(
  stream: WireStream,
  question: HookQuestion,
  onQuestion: CommandOptions['onQuestion'],
): Promise<void> {
  const refused: HookAnswer = { accepted: false, lines: ['internal error'] }
  stream.message(onQuestion === undefined ? refused : await onQuestion(question).catch(() => refused))
}

/** Sends a body to the standard input of a command, with back-pressure. */
function feed(stream: WireStream, input: Buffer | Readable, mayCancel: () => boolean): void {
  if (Buffer.isBuffer(input)) {
    stream.write(input)
    stream.end()
    return
  }
  stream.handlers.drain = () => input.resume()
  const sent = isFleeting(input) ? releaseChunk : undefined
  input.on('data', (chunk: Buffer) => {
    if (!stream.write(chunk, sent && (() => sent(chunk)))) input.pause()
  })
  input.on('end', () => stream.end())
  // git must not take a truncated body for a complete one.
  const onBroken = (): void => {
    if (!input.readableEnded && mayCancel()) stream.cancel()
  }
  input.on('error', onBroken)
  input.on('close', onBroken)
  if (input.destroyed) onBroken()
  // Adding a listener does not resume a stream that was paused explicitly, as request bodies are.
  else input.resume()
}

/** Throws the error that a failed command wrote to standard error. */
export function mustSucceed(end: CommandEnd, name: string): void {
  if (end.exitCode === 0) return
  const message = end.stderr.split('\n').find((line) => /^(fatal|error):/.test(line)) ?? end.stderr.split('\n')[0] ?? ''
  if (/not a valid|bad revision|bad object|Not a valid|invalid object|unknown revision/i.test(message)) {
    throw new Invalid(`git ${name}: ${message}`, 'git_invalid_object')
  }
  throw new Error(`git ${name} failed with ${end.exitCode}: ${end.stderr.slice(-2000)}`)
}
