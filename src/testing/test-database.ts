import type { Db } from '../db/database.ts'
import type { DatabaseOptions } from '../db/open.ts'

/** A database of one test. Disposing deletes it. */
export interface TestDatabase extends AsyncDisposable {
  readonly db: Db
  /** Opens the same database again, like another process; the caller closes it. */
  readonly options: DatabaseOptions
  /** Keeps the rows. Nothing else may use the database, and afterwards it can only be disposed or restored. */
  keep(): Promise<KeptRows>
}

/** The rows of a database at one time. Disposing deletes them. */
export interface KeptRows extends AsyncDisposable {
  /** Brings them back. @param current disposed; the database that is returned takes its place */
  restore(current: TestDatabase): Promise<TestDatabase>
}
