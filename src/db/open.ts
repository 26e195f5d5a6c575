import { databaseOf, engineBehind, engineOf, type Db, type Tx } from './database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

export type DatabaseOptions =
  | ({ readonly kind: 'sqlite' } & SqliteOptions)
  | ({ readonly kind: 'postgres' } & PostgresOptions)

/** Opens the database that the options name; `closeDatabase` ends it. */
export const openDatabase = (options: DatabaseOptions): Db =>
  databaseOf(options.kind === 'sqlite' ? openSqlite(options) : openPostgres(options))

export const closeDatabase = (db: Db): Promise<void> => engineOf(db).close()

/** Gives back what the database has in memory to be quicker; for a program that is quiet. */
export const trimDatabase = (db: Db): void => engineOf(db).trim()

/** Which of the two databases this is, for the few statements that have to differ. */
export const databaseKind = (db: Db | Tx): 'sqlite' | 'postgres' => engineBehind(db).kind
