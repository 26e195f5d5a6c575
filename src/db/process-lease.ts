import { randomUUID } from 'node:crypto'
import type { Log } from '../lib/log.ts'
import { transaction, type Db } from './database.ts'
import { databaseKind } from './open.ts'
import {
  deleteOtherProcesses,
  deleteProcess,
  deleteSilentProcesses,
  insertProcess,
  updateBeat,
} from './process.store.ts'

export interface ProcessLeaseOptions {
  readonly db: Db
  readonly log: Log
  /** After this time without a heartbeat other processes take the work of this one, in milliseconds. */
  readonly leaseMs: number
}

/** Is called after each heartbeat; it may settle what other processes left behind. */
export type BeatListener = () => Promise<unknown>

/**
 * The lease that this process has on its own work: a row with a heartbeat by the clock of the database. Journal entries and
 * jobs name it. When the heartbeat stops, another process deletes the row, and the work is anybody's. A process that finds
 * its row gone has lost its work and goes on under a new id.
 *
 * One process owns an SQLite database, so nobody watches it: its next start takes everything over.
 */
export class ProcessLease {
  readonly #options: ProcessLeaseOptions
  readonly #beatListeners: BeatListener[] = []
  readonly #lossListeners: (() => void)[] = []
  #registered: Promise<string> | undefined
  #current: string | undefined
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> = Promise.resolve()
  #lastBeatMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: ProcessLeaseOptions) {
    this.#options = options
  }

  /** The id of this process, which is registered when it is first asked for. */
  id(): Promise<string> {
    this.#registered ??= this.#register().catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
    return this.#registered
  }

  /** The id of this process; undefined before it is registered, and while a lost lease is not replaced. */
  get current(): string | undefined {
    return this.#current
  }

  /** Takes over from all earlier processes at once: no other one uses the database. */
  async takeOver(): Promise<void> {
    const id = await this.id()
    await transaction(this.#options.db, (tx) => deleteOtherProcesses(tx, id))
  }

  onBeat(listener: BeatListener): void {
    this.#beatListeners.push(listener)
  }

  /** The listener must neither throw nor take long. */
  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener)
  }

  /** Others have taken the work of this process. Work that it begins from now on has a new id. */
  lost(id: string): void {
    if (this.#current !== id) return
    this.#current = undefined
    this.#registered = undefined
    this.#lastBeatMs = Number.NEGATIVE_INFINITY
    if (this.#isClosed) return
    this.#options.log('error', 'the lease of this process ran out: others have taken its work', { process: id })
    for (const listener of this.#lossListeners) listener()
  }

  /** Gives the lease back: what is left of the work of this process is anybody's. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#beating
    const id = this.#current
    if (id !== undefined) await transaction(this.#options.db, (tx) => deleteProcess(tx, id))
  }

  async #register(): Promise<string> {
    const { db } = this.#options
    const id = randomUUID()
    await transaction(db, (tx) => insertProcess(tx, id), { lasting: false })
    this.#current = id
    if (databaseKind(db) === 'postgres') this.#planBeat()
    return id
  }

  #planBeat(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat()
        .catch((error: unknown) => this.#options.log('error', 'the heartbeat of this process failed', { error }))
        .finally(() => this.#planBeat())
    }, this.#options.leaseMs / 5).unref()
  }

  async #beat(): Promise<void> {
    const { db, log, leaseMs } = this.#options
    const id = await this.id()
    // After an outage of the database every heartbeat is late, so nobody is declared dead before all had their turn.
    const isSteady = performance.now() - this.#lastBeatMs < leaseMs / 2
    const beat = await transaction(
      db,
      async (tx) => {
        const isKept = await updateBeat(tx, id)
        return { isKept, silent: isKept && isSteady ? await deleteSilentProcesses(tx, leaseMs) : [] }
      },
      { lasting: false },
    )
    if (!beat.isKept) {
      this.lost(id)
      await this.id()
      return
    }
    this.#lastBeatMs = performance.now()
    if (beat.silent.length > 0) {
      log('warn', 'the heartbeat of other processes stopped: their work is taken over', { processes: beat.silent })
    }
    for (const listener of this.#beatListeners) if (!this.#isClosed) await listener()
  }
}
