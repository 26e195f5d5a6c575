import { systemClock, type Clock } from '../lib/time.ts'
import { databaseSlot, type Db, type Tx } from './database.ts'

const clocks = databaseSlot<Clock>()

/** Sets the clock of a database: due times of jobs, times of events. */
export const attachClock = (db: Db, clock: Clock): void => clocks.set(db, clock)

/** Returns the clock of a database or transaction; the default is the system clock. */
export const clockOf = (db: Db | Tx): Clock => clocks.of(db) ?? systemClock
