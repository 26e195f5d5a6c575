import { randomUUID } from 'node:crypto'
import type { Log } from '../lib/log.ts'
import { noteDatabaseTime } from './clock.ts'
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
  /** Duration of the lease after a heartbeat, in milliseconds. */
  readonly leaseMs: number
}

/**
 * Runs after a heartbeat, unless its last run goes on; it may take over the work of dead processes. It may wait for others,
 * and runs again when it fails.
 */
export type BeatListener = () => Promise<unknown>

/** The number of heartbeats per lease duration, so that single heartbeats may be late or fail. */
const beatsPerLease = 5

const beatOptions = { lasting: false, isHeartbeat: true } as const

/**
 * The lease of this process on its work: a row of the table `process`, whose heartbeat uses the clock of the database.
 * Jobs name the id of the row.
 *
 * 1. The first call of `id` inserts the row. On PostgreSQL the heartbeat begins then.
 * 2. Each heartbeat renews the row, corrects the clock of this process (`db/clock.ts`), and deletes the rows of processes
 *    whose lease ran out. Work of a deleted row has no owner; the beat listeners take it over.
 * 3. A process that finds its own row deleted has lost its work. The loss listeners stop that work, and the process
 *    continues with a new id.
 * 4. `close` deletes the row.
 *
 * One process owns an SQLite database. It needs no heartbeat: the next process calls `takeOver` at its start.
 */
export class ProcessLease {
  readonly #options: ProcessLeaseOptions
  readonly #beatListeners: BeatListener[] = []
  readonly #lossListeners: (() => void)[] = []
  /** The pending or completed registration; undefined before the first one and after a loss. */
  #registration: Promise<string> | undefined
  #current: string | undefined
  #timer: NodeJS.Timeout | undefined
  /** The latest heartbeat, pending or completed. */
  #beating: Promise<void> = Promise.resolve()
  /** The listeners that run since a heartbeat. */
  #listening: Promise<void> | undefined
  /** When the latest completed heartbeat began. */
  #lastBeatMs = Number.NEGATIVE_INFINITY
  /** Since when all heartbeats of this process were on time. */
  #steadySinceMs = Number.POSITIVE_INFINITY
  #isFailing = false
  #isClosed = false

  constructor(options: ProcessLeaseOptions) {
    this.#options = options
  }

  /** The id of this process. The first call registers the process; so does the first call after a loss. */
  id(): Promise<string> {
    this.#registration ??= this.#register().catch((error: unknown) => {
      this.#registration = undefined
      throw error
    })
    return this.#registration
  }

  /** The id of this process; undefined before the registration, and between a loss and the next registration. */
  get current(): string | undefined {
    return this.#current
  }

  /** Ends the leases of all other processes. Only a process that owns the database alone may call it. */
  async takeOver(): Promise<void> {
    const id = await this.id()
    await transaction(this.#options.db, (tx) => deleteOtherProcesses(tx, id))
  }

  onBeat(listener: BeatListener): void {
    this.#beatListeners.push(listener)
  }

  /** The listener must not throw, and must return at once. */
  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener)
  }

  /**
   * Reports that another process has taken over the work of this one. New work gets a new id.
   * @param id the id that was lost; a report about an older one changes nothing
   */
  lost(id: string): void {
    if (this.#current !== id) return
    this.#current = undefined
    this.#registration = undefined
    this.#lastBeatMs = Number.NEGATIVE_INFINITY
    if (this.#isClosed) return
    this.#options.log('error', 'the lease of this process ran out, and another process took over its work', {
      process: id,
    })
    for (const listener of this.#lossListeners) listener()
  }

  /** Ends the lease. Any process may take over the remaining work. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#beating
    await this.#listening
    const id = this.#current
    if (id !== undefined) await transaction(this.#options.db, (tx) => deleteProcess(tx, id), { isHeartbeat: true })
  }

  async #register(): Promise<string> {
    const { db } = this.#options
    const id = randomUUID()
    await transaction(db, (tx) => insertProcess(tx, id), beatOptions)
    this.#current = id
    if (databaseKind(db) === 'postgres') this.#scheduleBeat()
    return id
  }

  #scheduleBeat(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat()
        .catch((error: unknown) => {
          // Once for an outage of the database.
          if (!this.#isFailing) this.#options.log('error', 'the heartbeat of this process failed', { error })
          this.#isFailing = true
        })
        .finally(() => this.#scheduleBeat())
    }, this.#options.leaseMs / beatsPerLease).unref()
  }

  async #beat(): Promise<void> {
    const { db, log, leaseMs } = this.#options
    const id = await this.id()
    // After a stall of the database all heartbeats are late, and the one that waited for it takes long. A process ends other
    // leases only when its own heartbeats were on time for a whole lease, so that each process can beat first.
    const begunMs = performance.now()
    const isLate = (ms: number): boolean => ms >= leaseMs / 2
    if (isLate(begunMs - this.#lastBeatMs)) this.#steadySinceMs = begunMs
    const isSteady = begunMs - this.#steadySinceMs >= leaseMs
    const { beatMs, ended } = await transaction(
      db,
      async (tx) => {
        const renewedMs = await updateBeat(tx, id)
        const mayEnd = renewedMs !== undefined && isSteady && !isLate(performance.now() - begunMs)
        // A stall from here on does not count, since the other heartbeats are compared with this one.
        return {
          beatMs: renewedMs,
          ended: mayEnd ? await deleteSilentProcesses(tx, renewedMs - Math.ceil(leaseMs)) : [],
        }
      },
      beatOptions,
    )
    if (beatMs === undefined) {
      this.lost(id)
      await this.id()
      return
    }
    noteDatabaseTime(db, beatMs, begunMs)
    this.#lastBeatMs = begunMs
    this.#isFailing = false
    if (ended.length > 0) {
      log('warn', 'the heartbeat of other processes stopped; this process takes over their work', { processes: ended })
    }
    // The next heartbeat does not wait for them: they may wait for a lock of a process that stands still.
    this.#listening ??= this.#runListeners().finally(() => (this.#listening = undefined))
  }

  async #runListeners(): Promise<void> {
    for (const listener of this.#beatListeners) {
      if (this.#isClosed) return
      try {
        await listener()
      } catch (error) {
        this.#options.log('error', 'the work of dead processes could not be taken over; trying again', { error })
      }
    }
  }
}
