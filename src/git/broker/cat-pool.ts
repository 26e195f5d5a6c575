import { type ChildProcess, spawn } from 'node:child_process'
import type { WireStream } from './wire.ts'
import { signalGroup } from './process-group.ts'
import {
  type BrokerSettings,
  type CatCommand,
  type CatRequest,
  maxListedObjectBytes,
  maxTextObjectBytes,
} from './protocol.ts'

/** A reader holds packs open that a repack deletes, so it is replaced after this time. */
const maxAgeMs = 10 * 60_000
/** Concurrent readers per repository. */
const maxPerRepository = 3
const maxHeaderBytes = 4096

type Job = {
  readonly commands: readonly CatCommand[]
  readonly stream: WireStream
  readonly deadlineMs: number
  retried: boolean
}

type Pool = {
  readonly name: string
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly readers: Set<Reader>
  readonly queue: Job[]
}

/**
 * A pool of long-lived `cat-file --batch-command` processes: few per repository; the least recently used are evicted.
 */
export class CatPool {
  readonly #settings: BrokerSettings
  readonly #pools = new Map<string, Pool>()
  readonly #sweep: NodeJS.Timeout
  #readers = 0
  #queued = 0

  constructor(settings: BrokerSettings) {
    this.#settings = settings
    this.#sweep = setInterval(() => this.#sweepIdle(), Math.min(5000, settings.pooledIdleMs))
  }

  read(request: CatRequest, stream: WireStream): void {
    // The name tells apart quarantines and pairs of repositories, which read other object folders.
    const { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: others } = request.environment ?? {}
    const name = `${request.directory}\n${quarantine ?? others ?? ''}`
    if (this.#queued >= this.#settings.waiting * 4) {
      return stream.fail({ reason: 'busy', message: 'too many reads wait' })
    }
    let pool = this.#pools.get(name)
    if (pool === undefined) {
      pool = {
        name,
        directory: request.directory,
        environment: request.environment ?? {},
        readers: new Set(),
        queue: [],
      }
    }
    // The map is in order of last use.
    this.#pools.delete(name)
    this.#pools.set(name, pool)
    this.#queued += 1
    pool.queue.push({
      commands: request.commands,
      stream,
      deadlineMs: Date.now() + this.#settings.waitMs,
      retried: false,
    })
    this.#serve(pool)
  }

  /** Ends the readers of a repository. Jobs under way finish, fail or are retried. */
  release(directory: string, quarantine: string): void {
    for (const pool of [...this.#pools.values()]) {
      if (pool.directory !== directory) continue
      if (quarantine !== '' && !pool.name.endsWith(`\n${quarantine}`)) continue
      for (const reader of pool.readers) reader.stop()
    }
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const pool of this.#pools.values()) for (const reader of pool.readers) reader.kill()
  }

  #serve(pool: Pool): void {
    while (pool.queue.length > 0) {
      const idle = [...pool.readers].find((reader) => reader.isIdle)
      if (idle !== undefined) {
        this.#queued -= 1
        idle.run(pool.queue.shift()!)
        continue
      }
      const wanted =
        pool.readers.size === 0 || (pool.readers.size < maxPerRepository && pool.queue.length > pool.readers.size)
      if (!wanted || (this.#readers >= this.#settings.pooledProcesses && !this.#evict())) return
      this.#start(pool)
    }
  }

  #start(pool: Pool): void {
    this.#readers += 1
    const reader = new Reader(pool.directory, { ...this.#settings.environment, ...pool.environment }, this.#settings, {
      idle: () => {
        this.#serve(pool)
        if (this.#queued > 0) this.#serveWaiting()
      },
      ended: (unanswered) => {
        this.#readers -= 1
        pool.readers.delete(reader)
        if (unanswered !== undefined) {
          this.#queued += 1
          pool.queue.unshift(unanswered)
        }
        if (pool.readers.size === 0 && pool.queue.length === 0) this.#pools.delete(pool.name)
        this.#serve(pool)
        if (this.#queued > 0) this.#serveWaiting()
      },
    })
    pool.readers.add(reader)
  }

  /** Ends the idle reader that was unused longest. */
  #evict(): boolean {
    for (const pool of this.#pools.values()) {
      for (const reader of pool.readers) {
        if (!reader.isIdle) continue
        reader.stop()
        pool.readers.delete(reader)
        this.#readers -= 1
        reader.detached = true
        if (pool.readers.size === 0 && pool.queue.length === 0) this.#pools.delete(pool.name)
        return true
      }
    }
    return false
  }

  #serveWaiting(): void {
    for (const pool of [...this.#pools.values()]) if (pool.queue.length > 0) this.#serve(pool)
  }

  #sweepIdle(): void {
    const now = Date.now()
    for (const pool of [...this.#pools.values()]) {
      while (pool.queue.length > 0 && pool.queue[0]!.deadlineMs < now) {
        this.#queued -= 1
        pool.queue.shift()!.stream.fail({ reason: 'busy', message: 'no git process became free in time' })
      }
      for (const reader of pool.readers) {
        const tooLong = now - reader.lastUsedMs > this.#settings.pooledIdleMs || now - reader.startedMs > maxAgeMs
        if (reader.isIdle && tooLong) reader.stop()
      }
    }
  }
}

/**
 * Settings for small memory: a reader lives long, and the server caches what it reads. By default git maps whole packs
 * and caches 96 MiB of delta bases.
 */
const smallCaches = ['core.packedGitWindowSize=512k', 'core.packedGitLimit=4m', 'core.deltaBaseCacheLimit=2m'].flatMap(
  (setting) => ['-c', setting],
)

/** A `cat-file` process that answers one job at a time. */
class Reader {
  readonly startedMs = Date.now()
  lastUsedMs = Date.now()
  detached = false
  readonly #child: ChildProcess
  readonly #settings: BrokerSettings
  readonly #events: { idle: () => void; ended: (unanswered: Job | undefined) => void }
  #job: Job | undefined
  #left = 0
  /** Bytes left of the current object, including its final line feed; 0 between objects. */
  #bodyLeft = 0
  /** Bytes at the end of the object that are not forwarded. */
  #passedOver = 0
  #header: Buffer = Buffer.alloc(0)
  #answeredAnything = false
  #stopping = false
  #ended = false
  #timer: NodeJS.Timeout | undefined
  #timedOut = false

  constructor(
    directory: string,
    environment: Readonly<Record<string, string>>,
    settings: BrokerSettings,
    events: { idle: () => void; ended: (unanswered: Job | undefined) => void },
  ) {
    this.#settings = settings
    this.#events = events
    this.#child = spawn(settings.gitBinary, [...smallCaches, 'cat-file', '--batch-command', '--buffer'], {
      cwd: directory,
      env: { ...environment, GIT_DIR: directory },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    this.#child.on('error', () => this.#end())
    this.#child.on('close', () => this.#end())
    // A write to a reader that just died fails; `close` follows and settles the job.
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  get isIdle(): boolean {
    return this.#job === undefined && !this.#stopping && !this.#ended
  }

  run(job: Job): void {
    this.#job = job
    this.#answeredAnything = false
    this.#left = job.commands.length
    job.stream.handlers.drain = () => this.#child.stdout?.resume()
    // The caller left, and the rest of a long answer is not worth reading.
    job.stream.handlers.cancel = () => this.kill()
    this.#arm()
    const lines = job.commands.map(
      ([command, oid]) => `${command === 'contents' || command === 'beginning' ? 'contents' : 'info'} ${oid}\n`,
    )
    this.#child.stdin?.write(`${lines.join('')}flush\n`)
  }

  /** Lets the process exit once it is idle. */
  stop(): void {
    this.#stopping = true
    if (this.#job === undefined) this.#quit()
  }

  kill(): void {
    this.#stopping = true
    signalGroup(this.#child, 'SIGKILL')
  }

  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timedOut = true
      this.kill()
    }, this.#settings.readTimeoutMs)
  }

  #receive(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const job = this.#job
      if (job === undefined) return this.kill()
      if (this.#bodyLeft > 0) {
        const piece = rest.subarray(0, this.#bodyLeft)
        rest = rest.subarray(piece.length)
        // Skipped bytes still count as progress.
        const wanted = piece.subarray(0, Math.max(0, this.#bodyLeft - this.#passedOver))
        this.#bodyLeft -= piece.length
        this.#send(job, wanted)
        if (this.#bodyLeft === 0) this.#objectEnded(job)
        continue
      }
      const lineEnd = rest.indexOf(10)
      const piece = lineEnd === -1 ? rest : rest.subarray(0, lineEnd + 1)
      this.#header = this.#header.length === 0 ? piece : Buffer.concat([this.#header, piece])
      rest = rest.subarray(piece.length)
      if (this.#header.length > maxHeaderBytes) return this.kill()
      if (lineEnd === -1) continue
      const header = this.#header
      this.#header = Buffer.alloc(0)
      this.#headerCame(job, header)
    }
  }

  #headerCame(job: Job, header: Buffer): void {
    const command = job.commands[job.commands.length - this.#left]!
    const fields = header.toString('latin1').trimEnd().split(' ')
    const sizeBytes = fields.length === 3 ? Number(fields[2]) : undefined
    if (command[0] === 'blob' && sizeBytes !== undefined && !this.#answeredAnything) {
      if (sizeBytes > command[2]) {
        this.#send(job, Buffer.from(`${header.toString('latin1').trimEnd()} large\n`))
        return this.#objectEnded(job)
      }
      // Asks again, now for the content.
      this.#answeredAnything = true
      this.#child.stdin?.write(`contents ${command[1]}\nflush\n`)
      return
    }
    if (command[0] === 'info' || sizeBytes === undefined) {
      this.#send(job, header)
      return this.#objectEnded(job)
    }
    const isText = fields[1] === 'commit' || fields[1] === 'tag'
    const maxBytes = command[0] === 'beginning' ? maxListedObjectBytes : maxTextObjectBytes
    const isCut = isText && sizeBytes > maxBytes
    this.#send(job, isCut ? Buffer.from(`${fields.join(' ')} cut\n`) : header)
    this.#bodyLeft = sizeBytes + 1
    this.#passedOver = isCut ? this.#bodyLeft - maxBytes : 0
  }

  #send(job: Job, piece: Buffer): void {
    this.#answeredAnything = true
    this.#timer?.refresh()
    if (!job.stream.write(piece)) this.#child.stdout?.pause()
  }

  #objectEnded(job: Job): void {
    this.#left -= 1
    if (this.#left > 0) return
    clearTimeout(this.#timer)
    this.#job = undefined
    this.lastUsedMs = Date.now()
    job.stream.handlers.cancel = undefined
    job.stream.finish({})
    if (this.#stopping) this.#quit()
    else this.#events.idle()
  }

  #quit(): void {
    this.#child.stdin?.end()
    this.#arm()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    const job = this.#job
    this.#job = undefined
    let unanswered: Job | undefined
    if (job !== undefined) {
      job.stream.handlers.cancel = undefined
      // A reader that was ended while idle may have missed this job; another reader retries it once.
      if (!this.#answeredAnything && !this.#timedOut && !job.retried && !job.stream.closed) {
        job.retried = true
        unanswered = job
      } else if (this.#timedOut) {
        job.stream.fail({ reason: 'timeout', message: 'git did not answer a read in time' })
      } else job.stream.fail({ reason: 'died', message: 'the git process of a read ended early' })
    }
    if (!this.detached) this.#events.ended(unanswered)
  }
}
