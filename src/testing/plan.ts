import { sql, type CompiledQuery } from 'kysely'
import { engineOf, type Db } from '../db/database.ts'
import type { RunStatement } from './watch-statements.ts'

/** Returns the plan of a statement. PostgreSQL avoids whole tables, which are small in a test. */
export async function planOf(db: Db, { sql: text, parameters }: RunStatement): Promise<string> {
  const { kind, reader } = engineOf(db)
  const prefix = kind === 'sqlite' ? 'explain query plan' : 'explain'
  const query: CompiledQuery = { ...sql.raw(`${prefix} ${text}`).compile(reader), parameters }
  return reader.connection().execute(async (connection) => {
    if (kind === 'postgres') await sql`set enable_seqscan = off`.execute(connection)
    const { rows } = await connection.executeQuery<Record<string, string>>(query)
    if (kind === 'postgres') await sql`reset enable_seqscan`.execute(connection)
    return rows.map((row) => row['detail'] ?? String(Object.values(row)[0])).join('\n')
  })
}
