/**
 * Several clients that ask the same of a repository at the same time (eight runners that clone one commit) share one git: its
 * output is made once and read by each at its own speed. A clone that nobody joins is passed on as it comes.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { GitService } from './git.ts'

/** Others may join until so much was written; until then all of it is kept in memory. */
const joinableBytes = 2 << 20
/** Kept for a lone reader that is slower than git. */
const aheadOfOneBytes = 1 << 20
/** How far git may be ahead of the slowest of several readers, whose output lies in a file. */
const aheadOfManyBytes = 256 << 20
const readBytes = 256 << 10

type Mode = 'joinable' | 'single' | 'file'

/** Fetches under way, by what was asked. */
export class SharedFetches {
  readonly #running = new Map<string, SharedFetch>()
  readonly #folder: string

  /** @param folder where output for several readers is put while it lasts */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** A reader of the running fetch of that name, or of a new one. `start` gets the signal that ends it. */
  async join(
    name: string,
    start: (signal: AbortSignal) => Promise<GitService>,
    signal: AbortSignal | undefined,
  ): Promise<GitService> {
    let fetch = this.#running.get(name)
    if (fetch === undefined || !fetch.isJoinable) {
      const fresh = new SharedFetch(this.#folder, () => {
        if (this.#running.get(name) === fresh) this.#running.delete(name)
      })
      fetch = fresh
      this.#running.set(name, fresh)
      fresh.begin(start)
    }
    return fetch.addReader(signal)
  }
}

class SharedFetch {
  readonly #folder: string
  readonly #onClosed: () => void
  readonly #gone = new AbortController()
  readonly #readers = new Set<Reader>()
  readonly finished: Promise<{ readonly exitCode: number; readonly stderr: string }>
  #resolve!: (end: Promise<{ readonly exitCode: number; readonly stderr: string }>) => void
  #source: Readable | undefined
  #mode: Mode = 'joinable'
  #chunks: Buffer[] = []
  /** Offset of the first kept chunk, and of the end of all that was written. */
  #base = 0
  #total = 0
  #ended = false
  #failure: Error | undefined
  #file: FileHandle | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(folder: string, onClosed: () => void) {
    this.#folder = folder
    this.#onClosed = onClosed
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.finished.catch(() => undefined)
  }

  get isJoinable(): boolean {
    return this.#mode === 'joinable' && this.#failure === undefined && !this.#gone.signal.aborted
  }

  begin(start: (signal: AbortSignal) => Promise<GitService>): void {
    const service = start(this.#gone.signal)
    this.#resolve(service.then((running) => running.finished))
    service.then(
      ({ output }) => {
        this.#source = output
        output.on('data', (chunk: Buffer) => this.#take(chunk))
        output.on('end', () => this.#close(undefined))
        output.on('error', (error) => this.#close(error))
        output.on('close', () => this.#close(output.readableEnded ? undefined : new Error('git ended early')))
      },
      (error: unknown) => this.#close(error instanceof Error ? error : new Error(String(error))),
    )
  }

  addReader(signal: AbortSignal | undefined): GitService {
    const reader = new Reader(this)
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
    if (!this.#ended) this.#gone.abort()
    this.#onClosed()
    void this.#closeFile()
  }

  /** Bytes at a position: undefined when none are there yet, null at the end. Throws what git failed with. */
  async read(position: number): Promise<Buffer | undefined | null> {
    if (this.#file !== undefined && position < this.#base) {
      const bytes = Buffer.allocUnsafe(Math.min(readBytes, this.#base - position))
      const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, position)
      return bytes.subarray(0, bytesRead)
    }
    let offset = this.#base
    for (const chunk of this.#chunks) {
      if (position < offset + chunk.length) return chunk.subarray(position - offset)
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
      this.#onClosed()
      this.#mode = this.#readers.size > 1 ? 'file' : 'single'
    }
    if (this.#mode === 'single') this.#trim(Math.min(...this.#positions()))
    if (this.#mode === 'file') this.#writing = this.#writing.then(() => this.#spill())
    for (const reader of this.#readers) reader.wake()
    this.#regulate()
  }

  /** Drops what lies before a position. */
  #trim(position: number): void {
    while (this.#chunks.length > 0 && this.#base + this.#chunks[0]!.length <= position) {
      this.#base += this.#chunks.shift()!.length
    }
  }

  /** Moves what is in memory to the file; readers find it there as soon as it is. */
  async #spill(): Promise<void> {
    if (this.#readers.size === 0) return
    try {
      if (this.#file === undefined) {
        await mkdir(this.#folder, { recursive: true })
        const path = join(this.#folder, `fetch-${randomBytes(8).toString('hex')}`)
        this.#file = await open(path, 'wx+', 0o600)
        // The file lives as long as it is open: a crash leaves none behind.
        await rm(path)
      }
      while (this.#chunks.length > 0) {
        const chunk = this.#chunks[0]!
        await this.#file.write(chunk, 0, chunk.length, this.#base)
        this.#chunks.shift()
        this.#base += chunk.length
      }
    } catch (error) {
      this.#close(error instanceof Error ? error : new Error(String(error)))
    }
    this.#regulate()
  }

  /** Stops git while the slowest reader, or the file, is too far behind. */
  #regulate(): void {
    const source = this.#source
    if (source === undefined || this.#mode === 'joinable') return
    const behind = this.#total - Math.min(...this.#positions(), this.#total)
    const tooFar = this.#mode === 'single' ? behind > aheadOfOneBytes : behind > aheadOfManyBytes
    if (tooFar || (this.#mode === 'file' && this.#total - this.#base > 2 * joinableBytes)) source.pause()
    else source.resume()
  }

  #close(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#onClosed()
    for (const reader of this.#readers) reader.wake()
  }

  async #closeFile(): Promise<void> {
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
    this.output = new Readable({
      highWaterMark: 256 << 10,
      read: () => {
        void this.#pump()
      },
      destroy: (error, callback) => {
        fetch.leave(this)
        callback(error)
      },
    })
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
      this.output.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#reading = false
    }
  }
}
