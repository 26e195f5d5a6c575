import { systemClock, type Clock } from '../lib/time.ts'
import { databaseSlot, type Db, type Tx } from './database.ts'

const clocks = databaseSlot<Clock>()

/** Says which clock the work on this database goes by: due times of jobs, times of events. */
export const attachClock = (db: Db, clock: Clock): void => clocks.set(db, clock)

/** The clock of a database or of one of its transactions; the system's unless another was attached. */
export const clockOf = (db: Db | Tx): Clock => clocks.of(db) ?? systemClock
