import { databaseOf, engineBehind, engineOf, type Db, type Tx } from './database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

export type DatabaseOptions =
  | ({ readonly kind: 'sqlite' } & SqliteOptions)
  | ({ readonly kind: 'postgres' } & PostgresOptions)

/** Opens the configured database; `closeDatabase` closes it. */
export const openDatabase = (options: DatabaseOptions): Db =>
  databaseOf(options.kind === 'sqlite' ? openSqlite(options) : openPostgres(options))

export const closeDatabase = (db: Db): Promise<void> => engineOf(db).close()

/** Frees memory that only speeds up later queries; for an idle program. */
export const trimDatabase = (db: Db): void => engineOf(db).trim()

/** Returns the kind of database. Only src/db may call it. */
export const databaseKind = (db: Db | Tx): 'sqlite' | 'postgres' => engineBehind(db).kind
