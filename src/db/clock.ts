import { systemClock, type Clock } from '../lib/time.ts'
import { databaseSlot, engineOf, type Db, type Tx } from './database.ts'

/**
 * The clock of a PostgreSQL server as this process sees it. Clocks of machines differ; with one clock, the processes of a
 * database agree on the order of what they write and on what has expired. It does not jump with the clock of the machine.
 */
export class DatabaseClock implements Clock {
  /** What the clock of the database shows more than `performance.now()`. */
  #aheadMs: number | undefined

  /** Until the first reading, the time of this machine. */
  nowMs(): number {
    return Math.round(performance.now() + (this.#aheadMs ?? performance.timeOrigin))
  }

  /**
   * Takes a reading of the clock of the database: a query that was sent at `sentMs` of `performance.now()` and answered at
   * `answeredMs` returned `databaseMs`. A reading that the clock can explain changes nothing.
   */
  note(databaseMs: number, sentMs: number, answeredMs = performance.now()): void {
    const [least, most] = [databaseMs - answeredMs, databaseMs - sentMs]
    this.#aheadMs = Math.min(Math.max(this.#aheadMs ?? (least + most) / 2, least), most)
  }
}

const clocks = databaseSlot<Clock>()

/** Sets the clock of a database: due times of jobs, times of events. */
export const attachClock = (db: Db, clock: Clock): void => clocks.set(db, clock)

/** Attaches the clock that all processes of a database share. Returns it. */
export function attachSharedClock(db: Db): Clock {
  const clock = engineOf(db).kind === 'postgres' ? new DatabaseClock() : systemClock
  attachClock(db, clock)
  return clock
}

/** Returns the clock of a database or transaction; the default is the system clock. */
export const clockOf = (db: Db | Tx): Clock => clocks.of(db) ?? systemClock

/** Corrects the clock of a database by a reading (`DatabaseClock.note`). Returns how far this machine's clock is ahead. */
export function noteDatabaseTime(db: Db, databaseMs: number, sentMs: number): number {
  const clock = clockOf(db)
  if (clock instanceof DatabaseClock) clock.note(databaseMs, sentMs)
  return Date.now() - databaseMs
}
