import { sql } from 'kysely'
import { engineOf, type Db } from './database.ts'

/** The key of the advisory locks of restores. The number is arbitrary. */
const restoreKey = 774_611_029

/**
 * Runs the restore of a backup into a database of PostgreSQL, unless another process restores one there. It keeps one
 * connection of its own. SQLite has the lock of the data folder instead (folder-lock.ts).
 * @param refusal is thrown when another process restores
 */
export function whileRestoring<Result>(db: Db, work: () => Promise<Result>, refusal: () => Error): Promise<Result> {
  const { kind, writer } = engineOf(db)
  if (kind === 'sqlite') return work()
  return writer.connection().execute(async (connection) => {
    const schema = sql`hashtext(current_schema())`
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_lock(${sql.lit(restoreKey)}, ${schema}) as taken`.execute(connection)
    if (rows[0]?.taken !== true) throw refusal()
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(restoreKey)}, ${schema})`.execute(connection)
    }
  })
}
