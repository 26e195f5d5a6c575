/**
 * Fetches and their readers. Several clients that ask the same of a repository at the same time (eight runners that clone one
 * commit) share one git: its output is made once and read by each at its own speed. What a client takes too slowly is laid
 * aside on the disk, so that git ends and its place is free for others. A fetch that nobody joins and whose client is
 * quick is passed on as it comes. What is asked for again soon is kept for whoever comes later
 * (`docs/decisions/0052-fetches-that-are-kept.md`).
 */
import { hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { asFleeting, giveBack, isFleeting, ownCopy } from '../../lib/fleeting.ts'
import type { ClientShare, GitService } from '../git.ts'

/** Others may join until so much was written; until then all of it is kept in memory. */
const joinableBytes = 2 << 20
/** Kept for a lone reader that is slower than git. */
const aheadOfOneBytes = 1 << 20
/** How far git may be ahead of the slowest reader when its output lies in a file. */
const aheadOfManyBytes = 256 << 20
const readBytes = 256 << 10
/** A lone reader for whom git waits, and who takes less than so much in so long, is slow. */
const slowBytes = 128 << 10
const slowMs = 500

/** Questions that are remembered as asked lately. */
const maxAsked = 1000

/** How much is kept of fetches that are asked for again, and how long. */
export interface KeepLimits {
  readonly maxBytes: number
  /** Since somebody asked last; also how soon somebody must ask again. */
  readonly idleMs: number
  /** Since git was started, however often it is asked for. */
  readonly longestMs: number
}

/**
 * waiting: for a place; joinable: others may still join; single: for one reader, and git waits for it; file: what readers have not
 * taken lies in a file; kept: all of it does, and others may join until it is dropped.
 */
type Mode = 'waiting' | 'joinable' | 'single' | 'file' | 'kept'

type Start = (signal: AbortSignal) => Promise<GitService>

/** What is asked. */
interface Question {
  readonly repository: string
  /** Stands for all references of the repository as they are: a moved one makes another question. */
  readonly refs: string
  /** All that the client has sent. */
  readonly request: string
}

/** A client that wants a fetch. */
interface Join {
  /** Who asks the same may share the answer; undefined: it is for this client alone. */
  readonly question: Question | undefined
  readonly share: ClientShare | undefined
  /** Starts git; the signal ends it. */
  readonly start: Start
  readonly signal: AbortSignal | undefined
}

/** Fetches under way or kept, by what was asked. */
export class SharedFetches {
  readonly #running = new Map<string, SharedFetch>()
  readonly #folder: string
  readonly #limits: KeepLimits
  /** What is kept, by repository; in order of when it was last asked for. */
  readonly #kept = new Map<SharedFetch, Question>()
  readonly #asked: LRUCache<string, true>
  #keptBytes = 0

  /** @param folder where output for slow readers, and what is kept, is put while it lasts */
  constructor(folder: string, limits: KeepLimits) {
    this.#folder = folder
    this.#limits = limits
    this.#asked = new LRUCache({ maxSize: maxAsked, sizeCalculation: () => 1, ttl: limits.idleMs })
  }

  /** Bytes on the disk of what is kept. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** A reader of a running or kept fetch of that kind, or of a new one. Rejects when there is no place for it, or git does not start. */
  async join({ question, share, start, signal }: Join): Promise<GitService> {
    if (question === undefined) return readerOf(this.#begin(undefined, share, start), signal)
    this.#dropOlder(question)
    const name = hash('sha256', JSON.stringify(question), 'base64url')
    // Who waits for a place waits for one of their own: nobody's fetch hangs on how many others have begun.
    const names = { open: name, waiting: `${share?.who ?? ''} ${name}` }
    const known = this.#find(names.open) ?? this.#find(names.waiting)
    const isWanted = this.#limits.maxBytes > 0 && this.#asked.has(name)
    this.#asked.set(name, true)
    if (known) this.#touch(known)
    return readerOf(known ?? this.#begin({ ...names, question, isWanted }, share, start), signal)
  }

  /** Drops all that is kept. */
  close(): void {
    for (const fetch of [...this.#kept.keys()]) fetch.drop()
  }

  #find(name: string): SharedFetch | undefined {
    const fetch = this.#running.get(name)
    return fetch?.isJoinable === true ? fetch : undefined
  }

  /** What was kept of a repository whose references have moved since is of no use any more. */
  #dropOlder({ repository, refs }: Question): void {
    for (const [fetch, kept] of this.#kept) {
      if (kept.repository === repository && kept.refs !== refs) fetch.drop()
    }
  }

  #touch(fetch: SharedFetch): void {
    const question = this.#kept.get(fetch)
    if (question === undefined) return
    this.#kept.delete(fetch)
    this.#kept.set(fetch, question)
    fetch.keepFor(this.#limits.idleMs)
  }

  /** Room for bytes that are kept, where that of others has to go for it. */
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
    asked: { open: string; waiting: string; question: Question; isWanted: boolean } | undefined,
    share: ClientShare | undefined,
    start: Start,
  ): SharedFetch {
    const forget = (): void => {
      for (const name of asked ? [asked.open, asked.waiting] : []) {
        if (this.#running.get(name) === fetch) this.#running.delete(name)
      }
      this.#kept.delete(fetch)
    }
    const fetch: SharedFetch = new SharedFetch(this.#folder, share, {
      isShared: asked !== undefined,
      onPlaced: () => {
        if (asked === undefined) return
        forget()
        this.#running.set(asked.open, fetch)
        if (!asked.isWanted) return
        this.#kept.set(fetch, asked.question)
        fetch.keep(
          { tryTake: (bytes) => this.#takeRoom(bytes), release: (bytes) => (this.#keptBytes -= bytes) },
          this.#limits,
        )
      },
      onClosed: forget,
    })
    if (asked) this.#running.set(asked.waiting, fetch)
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
  /** Whether others may join. */
  readonly isShared: boolean
  readonly onPlaced: () => void
  /** Nobody may join any more. */
  readonly onClosed: () => void
}

/** Room on the disk. */
type Room = NonNullable<ClientShare['room']>

class SharedFetch {
  readonly #folder: string
  readonly #share: ClientShare | undefined
  readonly #events: Events
  readonly #gone = new AbortController()
  readonly #readers = new Set<Reader>()
  /** Git runs; rejects when it could not be started, or found no place. */
  readonly started: Promise<unknown>
  readonly finished: GitService['finished']
  #resolve!: (service: Promise<GitService>) => void
  #source: Readable | undefined
  #mode: Mode = 'waiting'
  /** What nobody else has. */
  #chunks: Buffer[] = []
  /** Offset of the first kept chunk, and of the end of all that was written. */
  #base = 0
  #total = 0
  #ended = false
  #failure: Error | undefined
  #file: FileHandle | undefined
  /** How much the file has, from the beginning on. */
  #fileBytes = 0
  /** Bytes of it that room was taken for: of the client's share, and of what all keep. */
  #spilled = 0
  #keptBytes = 0
  #keptRoom: Room | undefined
  #idle: NodeJS.Timeout | undefined
  #longest: NodeJS.Timeout | undefined
  #isDropped = false
  #writing: Promise<void> = Promise.resolve()
  /** Whether the first piece is on its way to the file, and must stay until it is there. */
  #isWritingFirst = false
  #watch: NodeJS.Timeout | undefined
  /** Where the lone reader was when it was last looked at, while git waited for it. */
  #seen: number | undefined

  constructor(folder: string, share: ClientShare | undefined, events: Events) {
    this.#folder = folder
    this.#share = share
    this.#events = events
    const service = new Promise<GitService>((resolve) => {
      this.#resolve = resolve
    })
    this.started = service
    this.finished = service.then((running) => running.finished)
    // Who waits for one of them learns it there.
    this.started.catch(() => undefined)
    this.finished.catch(() => undefined)
  }

  get isJoinable(): boolean {
    return (
      (this.#mode === 'joinable' || this.#mode === 'waiting' || this.#mode === 'kept') &&
      this.#failure === undefined &&
      !this.#isDropped &&
      !this.#gone.signal.aborted
    )
  }

  get isRead(): boolean {
    return this.#readers.size > 0
  }

  /** All that git writes stays for who comes later, as long as there is room and somebody asks for it. */
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

  /** Nobody may join any more; who reads it reads on. */
  drop(): void {
    if (this.#isDropped) return
    this.#isDropped = true
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

  async #startPlaced(start: Start): Promise<GitService> {
    const { signal } = this.#gone
    const release = await this.#share?.place(signal)
    try {
      this.#mode = this.#events.isShared ? 'joinable' : 'single'
      this.#events.onPlaced()
      const service = await start(signal)
      if (release) service.finished.then(release, release)
      return service
    } catch (error) {
      release?.()
      throw error
    }
  }

  addReader(signal: AbortSignal | undefined): GitService {
    const reader = new Reader(this)
    // What it fails with is told to whoever reads; when git does not start that is nobody.
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
    if (this.#mode === 'kept' && this.#ended && !this.#isDropped) return
    clearInterval(this.#watch)
    if (!this.#ended) this.#gone.abort(new Error('nobody waits for the fetch any more'))
    this.drop()
    void this.#closeFile()
  }

  /**
   * Bytes at a position, which are the reader's own: undefined when none are there yet, null at the end. Throws what git failed with.
   */
  async read(position: number): Promise<Buffer | undefined | null> {
    if (this.#file !== undefined && position < this.#fileBytes) {
      const bytes = Buffer.allocUnsafe(Math.min(readBytes, this.#fileBytes - position))
      const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, position)
      return bytes.subarray(0, bytesRead)
    }
    const [first] = this.#chunks
    const isAlone = this.#mode === 'single' && this.#readers.size === 1 && !this.#isWritingFirst
    // Nobody else will ask for it.
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
    return this.#ended ? null : undefined
  }

  /** A reader has got further. */
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
    if (this.#mode === 'file' || this.#mode === 'kept') this.#layAside()
    for (const reader of this.#readers) reader.wake()
    this.#regulate()
  }

  /** Drops what lies before a position. */
  #trim(position: number): void {
    if (this.#isWritingFirst) return
    while (this.#chunks.length > 0 && this.#base + this.#chunks[0]!.length <= position) giveBack(this.#dropFirst())
  }

  /** Takes the oldest piece from what is in memory. */
  #dropFirst(): Buffer {
    const chunk = this.#chunks.shift()!
    this.#base += chunk.length
    return chunk
  }

  #layAside(): void {
    this.#writing = this.#writing.then(() => this.#spill())
  }

  /** Moves what is in memory to the file, as far as there is room; readers find it there as soon as it is. */
  async #spill(): Promise<void> {
    if (this.#readers.size === 0 && this.#mode !== 'kept') return
    try {
      if (this.#file === undefined) {
        await mkdir(this.#folder, { recursive: true })
        const path = join(this.#folder, `fetch-${randomBytes(8).toString('hex')}`)
        this.#file = await open(path, 'wx+', 0o600)
        // The file lives as long as it is open: a crash leaves none behind.
        await rm(path)
        // What was dropped before is not missed: every reader has it.
        this.#fileBytes = this.#base
      }
      while (this.#chunks.length > 0 && (this.#mode === 'file' || this.#mode === 'kept')) {
        const chunk = this.#chunks[0]!
        if (!this.#takeRoom(chunk.length)) {
          // From here on git waits for the slowest reader.
          this.#mode = 'single'
          break
        }
        this.#isWritingFirst = true
        await this.#file.write(chunk, 0, chunk.length, this.#base).finally(() => (this.#isWritingFirst = false))
        this.#dropFirst()
        this.#fileBytes = this.#base
        giveBack(chunk)
      }
    } catch (error) {
      this.#close(Error.isError(error) ? error : new Error(String(error)))
    }
    this.#regulate()
  }

  /** Room for a piece: of what all keep as long as there is some, then of the client's share. */
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
    this.#spilled += bytes
    return true
  }

  /** Stops git while the slowest reader, or the file, is too far behind. */
  #regulate(): void {
    const source = this.#source
    if (source === undefined || this.#mode === 'joinable') return
    const behind = this.#total - Math.min(...this.#positions(), this.#total)
    const ahead = this.#mode === 'single' ? aheadOfOneBytes : aheadOfManyBytes
    const tooFar = this.#mode !== 'kept' && behind > ahead
    if (!tooFar && (this.#mode === 'single' || this.#total - this.#base <= 2 * joinableBytes)) {
      source.resume()
      return
    }
    source.pause()
    if (this.#mode === 'single' && this.#file === undefined) {
      this.#watch ??= setInterval(() => this.#lookAtReader(), slowMs)
    }
  }

  /** Git has waited for the lone reader since it was last looked at, or not; a slow one finds the rest in a file. */
  #lookAtReader(): void {
    const [position = 0] = this.#positions()
    const isSlow = this.#seen !== undefined && position - this.#seen < slowBytes
    this.#seen = this.#source?.isPaused() === true ? position : undefined
    if (!isSlow || this.#mode !== 'single' || this.#ended) return
    clearInterval(this.#watch)
    this.#mode = 'file'
    this.#layAside()
  }

  #close(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    clearInterval(this.#watch)
    if (this.#mode !== 'kept' || failure !== undefined) this.drop()
    for (const reader of this.#readers) reader.wake()
  }

  async #closeFile(): Promise<void> {
    // Nothing more is laid aside.
    this.#mode = 'single'
    this.#share?.room?.release(this.#spilled)
    this.#keptRoom?.release(this.#keptBytes)
    this.#spilled = 0
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
  #reading = false
  #waiting = false
  /** Something came since the fetch was last asked: its answer may be out of date. */
  #news = false

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

  /** There is more, or the end. */
  wake(): void {
    this.#news = true
    if (this.#waiting) void this.#pump()
  }

  async #pump(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    this.#waiting = false
    try {
      for (;;) {
        this.#news = false
        const bytes = await this.#fetch.read(this.position)
        if (this.output.destroyed) return
        if (bytes === undefined) {
          if (this.#news) continue
          this.#waiting = true
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
      this.#reading = false
    }
  }
}
