import { sql, type RawBuilder } from 'kysely'
import { engineBehind, type Db, type Tx } from './database.ts'

/** A column of texts for ordering by bytes, whatever the order of letters PostgreSQL was set up with. */
export const bytewise = (db: Db | Tx, column: string): RawBuilder<string> =>
  engineBehind(db).kind === 'postgres' ? sql<string>`${sql.ref(column)} collate "C"` : sql<string>`${sql.ref(column)}`
