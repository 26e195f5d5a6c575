import { sql, type RawBuilder } from 'kysely'
import { engineBehind, type Db, type Tx } from './database.ts'

/** Returns a text column or expression in the order of its bytes, which does not depend on the collation of PostgreSQL. */
export const bytewise = (db: Db | Tx, text: string | RawBuilder<string>): RawBuilder<string> => {
  const value = typeof text === 'string' ? sql<string>`${sql.ref(text)}` : text
  return engineBehind(db).kind === 'postgres' ? sql<string>`${value} collate "C"` : value
}
