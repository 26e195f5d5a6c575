import { sql } from 'kysely'
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
  const integrity = await sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(maxProblems)})`.execute(
    writer,
  )
  for (const row of integrity.rows) if (row.integrity_check !== 'ok') problems.push(row.integrity_check)
  const keys = await sql<{ table: string; rowid: number | null; parent: string }>`pragma foreign_key_check`.execute(
    writer,
  )
  for (const row of keys.rows.slice(0, maxProblems)) {
    problems.push(`row ${row.rowid ?? '?'} of ${row.table} belongs to a row of ${row.parent} that does not exist`)
  }
  return problems
}
