/**
 * Shares packs between fetches. Clients that send the same request at the same time, such as eight runners that clone
 * one commit, share one git. Each reads its output at its own speed. Output for slow clients is spooled to disk, so
 * that git ends and frees its slot. The output for a single fast client is passed through. A request that repeats
 * within a minute is kept for later clients (docs/decisions/0048-kept-fetches.md).
 */
import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { asFleeting, releaseChunk, isFleeting, ownCopy } from '../../lib/fleeting.ts'
import type { ClientShare, GitService } from '../git-service.ts'
import { withSlot } from '../objects/with-slot.ts'

/** Clients may join until this much output was written; all of it stays in memory until then. */
const joinableBytes = 2 << 20
/** Buffer for a single reader that is slower than git. */
const singleReaderBufferBytes = 1 << 20
/** Lead of git over the slowest reader when the output is spooled. */
const maxLeadBytes = 256 << 20
const readBytes = 256 << 10
/** A single reader for which git waits is slow when it reads less than this in this time. */
const slowBytes = 128 << 10
const slowMs = 500

/** Requests remembered as recent. */
const maxRecentRequests = 1000

/** Limits of kept packs. */
export interface KeepLimits {
  readonly maxBytes: number
  /** Lifetime after the last request; also the time in which a repeated request counts. */
  readonly idleMs: number
  /** Lifetime since git started. */
  readonly longestMs: number
}

/**
 * waiting: for a place; joinable: other clients may join; single: one reader, git waits for it; file: unread output is
 * spooled; kept: all output is spooled, and clients may join until it is dropped.
 */
type Mode = 'waiting' | 'joinable' | 'single' | 'file' | 'kept'

type Start = (signal: AbortSignal) => Promise<GitService>

/** What a client asks for. */
interface Question {
  readonly repository: string
  /** Identifies the values of all references: a moved reference makes another question. */
  readonly refs: string
  /** The whole request. */
  readonly request: string
}

/** A client's request for a fetch. */
interface Join {
  /** Clients with equal questions share the answer; undefined is not shared. */
  readonly question: Question | undefined
  readonly share: ClientShare | undefined
  /** Starts git; the signal ends it. */
  readonly start: Start
  readonly signal: AbortSignal | undefined
}

/** Fetches that run or are kept, by question. */
export class SharedFetches {
  readonly #running = new Map<string, SharedFetch>()
  readonly #folder: string
  readonly #limits: KeepLimits
  /** Kept fetches in order of last use, with their questions. */
  readonly #kept = new Map<SharedFetch, Question>()
  readonly #recentRequests: LRUCache<string, true>
  #keptBytes = 0

  /** @param folder for spooled output */
  constructor(folder: string, limits: KeepLimits) {
    this.#folder = folder
    this.#limits = limits
    this.#recentRequests = new LRUCache({ maxSize: maxRecentRequests, sizeCalculation: () => 1, ttl: limits.idleMs })
  }

  /** Disk space of kept fetches, in bytes. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /**
   * Returns a reader of a matching fetch that runs or is kept, or of a new one. Rejects when no place becomes free or
   * git does not start.
   */
  async join({ question, share, start, signal }: Join): Promise<GitService> {
    if (question === undefined) return readerOf(this.#begin(undefined, share, start), signal)
    this.#dropOutdated(question)
    const name = hash('sha256', JSON.stringify(question), 'base64url')
    // A client that waits for a place joins only its own waiting fetches, so no fetch depends on the queue of another
    // client.
    const names = { open: name, waiting: `${share?.who ?? ''} ${name}` }
    const known = this.#find(names.open) ?? this.#find(names.waiting)
    const isRepeated = this.#limits.maxBytes > 0 && this.#recentRequests.has(name)
    this.#recentRequests.set(name, true)
    if (known) this.#renew(known)
    return readerOf(known ?? this.#begin({ ...names, question, isRepeated }, share, start), signal)
  }

  /** Drops all kept fetches. */
  close(): void {
    for (const fetch of [...this.#kept.keys()]) fetch.drop()
  }

  #find(name: string): SharedFetch | undefined {
    const fetch = this.#running.get(name)
    return fetch?.isJoinable === true ? fetch : undefined
  }

  /** Drops kept fetches of a repository whose references have moved. */
  #dropOutdated({ repository, refs }: Question): void {
    for (const [fetch, kept] of this.#kept) {
      if (kept.repository === repository && kept.refs !== refs) fetch.drop()
    }
  }

  #renew(fetch: SharedFetch): void {
    const question = this.#kept.get(fetch)
    if (question === undefined) return
    this.#kept.delete(fetch)
    this.#kept.set(fetch, question)
    fetch.keepFor(this.#limits.idleMs)
  }

  /** Takes disk space, evicting kept fetches that have no reader. */
  #takeRoom(bytes: number): boolean {
    for (const fetch of this.#kept.keys()) {
      if (this.#keptBytes + bytes <= this.#limits.maxBytes) break
      if (!fetch.isRead) fetch.drop()
    }
    if (this.#keptBytes + bytes > this.#limits.maxBytes) return false
    this.#keptBytes += bytes
    return true
  }

  #begin(
    wanted: { open: string; waiting: string; question: Question; isRepeated: boolean } | undefined,
    share: ClientShare | undefined,
    start: Start,
  ): SharedFetch {
    const forget = (): void => {
      for (const name of wanted ? [wanted.open, wanted.waiting] : []) {
        if (this.#running.get(name) === fetch) this.#running.delete(name)
      }
      this.#kept.delete(fetch)
    }
    const fetch: SharedFetch = new SharedFetch(this.#folder, share, {
      isShared: wanted !== undefined,
      onPlaced: () => {
        if (wanted === undefined) return
        forget()
        this.#running.set(wanted.open, fetch)
        if (!wanted.isRepeated) return
        this.#kept.set(fetch, wanted.question)
        fetch.keep(
          { tryTake: (bytes) => this.#takeRoom(bytes), release: (bytes) => (this.#keptBytes -= bytes) },
          this.#limits,
        )
      },
      onClosed: forget,
    })
    if (wanted) this.#running.set(wanted.waiting, fetch)
    fetch.begin(start)
    return fetch
  }
}

async function readerOf(fetch: SharedFetch, signal: AbortSignal | undefined): Promise<GitService> {
  const reader = fetch.addReader(signal)
  await fetch.started
  return reader
}

interface Events {
  /** Whether other clients may join. */
  readonly isShared: boolean
  readonly onPlaced: () => void
  /** No further client may join. */
  readonly onClosed: () => void
}

/** Disk space. */
type Room = NonNullable<ClientShare['room']>

class SharedFetch {
  readonly #folder: string
  readonly #share: ClientShare | undefined
  readonly #events: Events
  readonly #abandoned = new AbortController()
  readonly #readers = new Set<Reader>()
  /** Settles when git has started; rejects when it did not start or found no place. */
  readonly started: Promise<unknown>
  readonly finished: GitService['finished']
  #resolve!: (service: Promise<GitService>) => void
  #source: Readable | undefined
  #mode: Mode = 'waiting'
  /** Output in memory, owned by this fetch. */
  #chunks: Buffer[] = []
  /** Offset of the first chunk in memory, and of the end of the output. */
  #base = 0
  #total = 0
  #hasEnded = false
  #failure: Error | undefined
  #file: FileHandle | undefined
  /** Bytes at the beginning of the output that the file holds. */
  #fileBytes = 0
  /** Spooled bytes charged to the client's share, and to the kept fetches. */
  #spooledBytes = 0
  #keptBytes = 0
  #keptRoom: Room | undefined
  #idle: NodeJS.Timeout | undefined
  #longest: NodeJS.Timeout | undefined
  #isClosed = false
  #writing: Promise<void> = Promise.resolve()
  /** The first chunk is being written and must stay until it is. */
  #isWritingFirst = false
  #readerCheck: NodeJS.Timeout | undefined
  /** Position of the single reader at the last check while git waited for it. */
  #checkedPosition: number | undefined

  constructor(folder: string, share: ClientShare | undefined, events: Events) {
    this.#folder = folder
    this.#share = share
    this.#events = events
    const service = new Promise<GitService>((resolve) => {
      this.#resolve = resolve
    })
    this.started = service
    this.finished = service.then((running) => running.finished)
    // Failures are reported by whichever promise the caller awaits.
    this.started.catch(() => undefined)
    this.finished.catch(() => undefined)
  }

  get isJoinable(): boolean {
    return (
      (this.#mode === 'joinable' || this.#mode === 'waiting' || this.#mode === 'kept') &&
      this.#failure === undefined &&
      !this.#isClosed &&
      !this.#abandoned.signal.aborted
    )
  }

  get isRead(): boolean {
    return this.#readers.size > 0
  }

  /** Keeps all output for later clients, as long as space is left and requests repeat. */
  keep(room: Room, { idleMs, longestMs }: Pick<KeepLimits, 'idleMs' | 'longestMs'>): void {
    this.#mode = 'kept'
    this.#keptRoom = room
    this.#longest = setTimeout(() => this.drop(), longestMs).unref()
    this.keepFor(idleMs)
  }

  keepFor(idleMs: number): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.drop(), idleMs).unref()
  }

  /** Stops further clients from joining; present readers continue. */
  drop(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#idle)
    clearTimeout(this.#longest)
    this.#events.onClosed()
    if (this.#readers.size === 0) void this.#closeFile()
  }

  begin(start: Start): void {
    const service = this.#startPlaced(start)
    this.#resolve(service)
    service.then(
      ({ output }) => {
        this.#source = output
        output.on('data', (chunk: Buffer) => this.#take(isFleeting(output) ? chunk : ownCopy(chunk)))
        output.on('end', () => this.#close(undefined))
        output.on('error', (error) => this.#close(error))
        output.on('close', () => this.#close(output.readableEnded ? undefined : new Error('git ended early')))
      },
      (error: unknown) => this.#close(Error.isError(error) ? error : new Error(String(error))),
    )
  }

  #startPlaced(start: Start): Promise<GitService> {
    const { signal } = this.#abandoned
    return withSlot(this.#share, signal, () => {
      this.#mode = this.#events.isShared ? 'joinable' : 'single'
      this.#events.onPlaced()
      return start(signal)
    })
  }

  addReader(signal: AbortSignal | undefined): GitService {
    const reader = new Reader(this)
    // Prevents an unhandled error when git does not start and the output has no reader.
    reader.output.on('error', () => undefined)
    this.#readers.add(reader)
    const onAbort = (): void => {
      reader.output.destroy()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    reader.output.on('close', () => signal?.removeEventListener('abort', onAbort))
    return { output: reader.output, finished: this.finished }
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return this.#regulate()
    if (this.#mode === 'kept' && this.#hasEnded && !this.#isClosed) return
    clearInterval(this.#readerCheck)
    if (!this.#hasEnded) this.#abandoned.abort(new Error('all clients of the fetch disconnected'))
    this.drop()
    void this.#closeFile()
  }

  /**
   * Returns bytes at a position, which the reader owns; undefined when none have arrived, null at the end. Throws git's
   * failure.
   */
  async read(position: number): Promise<Buffer | undefined | null> {
    if (this.#file !== undefined && position < this.#fileBytes) {
      const bytes = Buffer.allocUnsafe(Math.min(readBytes, this.#fileBytes - position))
      const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, position)
      return bytes.subarray(0, bytesRead)
    }
    const [first] = this.#chunks
    const isAlone = this.#mode === 'single' && this.#readers.size === 1 && !this.#isWritingFirst
    // The single reader takes the chunk itself.
    if (first && isAlone && position === this.#base) {
      this.#dropFirst()
      return first
    }
    let offset = this.#base
    for (const chunk of this.#chunks) {
      if (position < offset + chunk.length) return ownCopy(chunk.subarray(position - offset))
      offset += chunk.length
    }
    if (this.#failure !== undefined) throw this.#failure
    return this.#hasEnded ? null : undefined
  }

  /** Called when a reader has advanced. */
  advanced(): void {
    if (this.#mode === 'single') this.#trim(Math.min(...this.#positions()))
    this.#regulate()
  }

  #positions(): number[] {
    return [...this.#readers].map((reader) => reader.position)
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#total += chunk.length
    if (this.#mode === 'joinable' && this.#total > joinableBytes) {
      this.#events.onClosed()
      this.#mode = this.#readers.size > 1 ? 'file' : 'single'
    }
    if (this.#mode === 'single') this.#trim(Math.min(...this.#positions()))
    if (this.#mode === 'file' || this.#mode === 'kept') this.#scheduleSpooling()
    for (const reader of this.#readers) reader.wake()
    this.#regulate()
  }

  /** Frees chunks before a position. */
  #trim(position: number): void {
    if (this.#isWritingFirst) return
    while (this.#chunks.length > 0 && this.#base + this.#chunks[0]!.length <= position) releaseChunk(this.#dropFirst())
  }

  /** Removes the first chunk from memory. */
  #dropFirst(): Buffer {
    const chunk = this.#chunks.shift()!
    this.#base += chunk.length
    return chunk
  }

  #scheduleSpooling(): void {
    this.#writing = this.#writing.then(() => this.#spool())
  }

  /** Moves chunks to the file while space is left; readers then read from the file. */
  async #spool(): Promise<void> {
    if (this.#readers.size === 0 && this.#mode !== 'kept') return
    try {
      if (this.#file === undefined) {
        await mkdir(this.#folder, { recursive: true })
        const path = join(this.#folder, `fetch-${randomBytes(8).toString('hex')}`)
        this.#file = await open(path, 'wx+', 0o600)
        // The open file has no name, so a crash leaves nothing behind.
        await rm(path)
        // All readers are past the dropped chunks.
        this.#fileBytes = this.#base
      }
      while (this.#chunks.length > 0 && (this.#mode === 'file' || this.#mode === 'kept')) {
        const chunk = this.#chunks[0]!
        if (!this.#takeRoom(chunk.length)) {
          // git waits for the slowest reader from here on.
          this.#mode = 'single'
          break
        }
        this.#isWritingFirst = true
        await this.#file.write(chunk, 0, chunk.length, this.#base).finally(() => (this.#isWritingFirst = false))
        this.#dropFirst()
        this.#fileBytes = this.#base
        releaseChunk(chunk)
      }
    } catch (error) {
      this.#close(Error.isError(error) ? error : new Error(String(error)))
    }
    this.#regulate()
  }

  /** Takes space of the kept fetches while some is left, then of the client's share. */
  #takeRoom(bytes: number): boolean {
    if (this.#mode === 'kept') {
      if (this.#keptRoom?.tryTake(bytes) === true) {
        this.#keptBytes += bytes
        return true
      }
      this.#mode = 'file'
      this.drop()
    }
    if (this.#share?.room?.tryTake(bytes) === false) return false
    this.#spooledBytes += bytes
    return true
  }

  /** Pauses git while the slowest reader or the file is too far behind. */
  #regulate(): void {
    const source = this.#source
    if (source === undefined || this.#mode === 'joinable') return
    const behind = this.#total - Math.min(...this.#positions(), this.#total)
    const ahead = this.#mode === 'single' ? singleReaderBufferBytes : maxLeadBytes
    const tooFar = this.#mode !== 'kept' && behind > ahead
    if (!tooFar && (this.#mode === 'single' || this.#total - this.#base <= 2 * joinableBytes)) {
      source.resume()
      return
    }
    source.pause()
    if (this.#mode === 'single' && this.#file === undefined) {
      this.#readerCheck ??= setInterval(() => this.#checkReader(), slowMs)
    }
  }

  /** Spools the output when git waits for a slow single reader. */
  #checkReader(): void {
    const [position = 0] = this.#positions()
    const isSlow = this.#checkedPosition !== undefined && position - this.#checkedPosition < slowBytes
    this.#checkedPosition = this.#source?.isPaused() === true ? position : undefined
    if (!isSlow || this.#mode !== 'single' || this.#hasEnded) return
    clearInterval(this.#readerCheck)
    this.#mode = 'file'
    this.#scheduleSpooling()
  }

  #close(failure: Error | undefined): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#failure = failure
    clearInterval(this.#readerCheck)
    if (this.#mode !== 'kept' || failure !== undefined) this.drop()
    for (const reader of this.#readers) reader.wake()
  }

  async #closeFile(): Promise<void> {
    // Stops spooling.
    this.#mode = 'single'
    this.#share?.room?.release(this.#spooledBytes)
    this.#keptRoom?.release(this.#keptBytes)
    this.#spooledBytes = 0
    this.#keptBytes = 0
    await this.#writing
    const file = this.#file
    this.#file = undefined
    this.#chunks = []
    await file?.close()
  }
}

/** One client's view of a shared fetch. */
class Reader {
  position = 0
  readonly output: Readable
  readonly #fetch: SharedFetch
  #isReading = false
  #isWaiting = false
  /** Output arrived during the last read, whose answer may be outdated. */
  #hasNews = false

  constructor(fetch: SharedFetch) {
    this.#fetch = fetch
    this.output = asFleeting(
      new Readable({
        highWaterMark: 256 << 10,
        read: () => {
          void this.#pump()
        },
        destroy: (error, callback) => {
          fetch.leave(this)
          callback(error)
        },
      }),
    )
  }

  /** Output or the end has arrived. */
  wake(): void {
    this.#hasNews = true
    if (this.#isWaiting) void this.#pump()
  }

  async #pump(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    this.#isWaiting = false
    try {
      for (;;) {
        this.#hasNews = false
        const bytes = await this.#fetch.read(this.position)
        if (this.output.destroyed) return
        if (bytes === undefined) {
          if (this.#hasNews) continue
          this.#isWaiting = true
          return
        }
        if (bytes === null) {
          this.output.push(null)
          return
        }
        this.position += bytes.length
        this.#fetch.advanced()
        if (!this.output.push(bytes)) return
      }
    } catch (error) {
      this.output.destroy(Error.isError(error) ? error : new Error(String(error)))
    } finally {
      this.#isReading = false
    }
  }
}
