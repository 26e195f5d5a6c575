import { sql, type QueryExecutorProvider } from 'kysely'
import { engineOf, type Db } from './database.ts'

/** Maximum number of reported problems. */
const maxProblems = 100

/**
 * Returns the damage that the database reports: broken pages, indexes and foreign keys. It reads the whole SQLite file.
 * PostgreSQL has no comparable check, so it reports none.
 */
export async function findDatabaseDamage(db: Db): Promise<string[]> {
  const { kind, writer } = engineOf(db)
  if (kind === 'postgres') return []
  const problems: string[] = []
  const damage = await writer.transaction().execute(async (tx) => {
    await readWordsAgain(tx)
    return sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(maxProblems)})`.execute(tx)
  })
  for (const row of damage.rows) if (row.integrity_check !== 'ok') problems.push(row.integrity_check)
  const keys = await sql<{ table: string; rowid: number | null; parent: string }>`pragma foreign_key_check`.execute(
    writer,
  )
  for (const row of keys.rows.slice(0, maxProblems)) {
    problems.push(`row ${row.rowid ?? '?'} of ${row.table} belongs to a row of ${row.parent} that does not exist`)
  }
  return problems
}

/**
 * Reads each full-text index. A connection keeps the structure of an index that another process has changed until its next
 * search, and the check would take parts that were merged away for missing ones.
 */
async function readWordsAgain(on: QueryExecutorProvider): Promise<void> {
  const indexes = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and sql like 'create virtual table%using fts5%'`.execute(on)
  for (const { name } of indexes.rows) {
    await sql`select rowid from ${sql.table(name)} where ${sql.ref(name)} match 'a' limit 1`.execute(on)
  }
}
