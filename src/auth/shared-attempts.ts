import { performance } from 'node:perf_hooks'
import type { Db, Tx } from '../db/database.ts'
import type { RefusedAttemptRow } from '../db/tables/sign-in.ts'
import type { Clock } from '../lib/time.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { hashToken, newSecret } from '../secrets/tokens.ts'
import { deleteRefusedAttemptsBefore, insertRefusedAttempt, listRefusedAttempts } from './refused-attempt.store.ts'

/** How long a refused attempt stays in the table, in milliseconds: the longest window of a limit. */
const keptMs = 3_600_000
/** Number of recorded rows after which old ones are deleted, so that a flood leaves only the rows of its last hour. */
const recordsPerDeletion = 256
/** Processes read at most this often, in milliseconds; a guesser gains what fits into the time between. */
const pauseMs = 100
/** A read begins this much before the one before it, because clocks differ and transactions take time. */
const overlapMs = 5000
/** Largest number of rows of one read, the newest first. */
const maxRead = 5000

/** A refused attempt of another process. */
export interface RefusedAttempt {
  /** Keyed hashes of what it counts against, in the order of `record`. */
  readonly subjects: readonly string[]
  readonly atMs: number
}

/**
 * Refused attempts to guess a secret, shared by the processes of a database. Each process counts in memory: it writes a row
 * for each attempt that it refused, and reads the rows of the others before it judges an attempt. A right attempt writes
 * nothing, nor does one that a limit stops. The table contains keyed hashes, because people type passwords as names.
 */
export class SharedAttempts {
  readonly #process = newSecret(12)
  readonly #key: string
  #readMs: number | undefined
  #nextRead = 0
  #reading: Promise<readonly RefusedAttempt[]> | undefined
  #seen: ReadonlySet<number> = new Set()
  #recorded = 0

  constructor(
    readonly services: { readonly db: Db; readonly clock: Clock; readonly secrets: Pick<Secrets, 'deriveKey'> },
    readonly kind: RefusedAttemptRow['kind'],
    readonly windowMs: number,
  ) {
    this.#key = services.secrets.deriveKey('refused-attempts', 32).toString('hex')
  }

  /** Returns the name of a subject in the table. */
  readonly subjectOf = (text: string): string => hashToken(`${this.#key} ${text}`).slice(0, 32)

  /** Returns the attempts that other processes recorded since the last call; each is returned once. */
  async news(): Promise<readonly RefusedAttempt[]> {
    if (this.#reading) {
      // Whoever asked first counts them.
      await this.#reading
      return []
    }
    if (performance.now() < this.#nextRead) return []
    this.#reading = this.#read()
    try {
      return await this.#reading
    } finally {
      this.#reading = undefined
      this.#nextRead = performance.now() + pauseMs
    }
  }

  async #read(): Promise<readonly RefusedAttempt[]> {
    const { db, clock } = this.services
    const now = clock.nowMs()
    const afterMs = this.#readMs === undefined ? now - this.windowMs : this.#readMs - overlapMs
    const rows = await listRefusedAttempts(db, { kind: this.kind, process: this.#process, afterMs, limit: maxRead })
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    this.#readMs = now
    this.#seen = new Set(rows.map(({ id }) => id))
    return fresh.map(({ subjects, at_ms: atMs }) => ({ subjects: subjects.split(' '), atMs }))
  }

  /** Records a refused attempt against subjects from `subjectOf`. */
  async record(tx: Tx, subjects: readonly string[]): Promise<void> {
    const now = this.services.clock.nowMs()
    await insertRefusedAttempt(tx, {
      kind: this.kind,
      process: this.#process,
      subjects: subjects.join(' '),
      at_ms: now,
    })
    this.#recorded += 1
    if (this.#recorded % recordsPerDeletion === 0) await deleteRefusedAttemptsBefore(tx, now - keptMs)
  }
}

/** Deletes the attempts that no limit counts any more. */
export const forgetRefusedAttempts = (tx: Tx, nowMs: number): Promise<unknown> =>
  deleteRefusedAttemptsBefore(tx, nowMs - keptMs)
