import { sql } from 'kysely'
import type { Counter } from '../access/counter.ts'
import type { Db, Tx } from '../db/database.ts'

export interface Recounted {
  readonly id: number
  readonly stored: number
  readonly counted: number
}

/** Counts anew for rows in the order of their ids, after `after`. */
export async function listRecounted(
  db: Db,
  { table, column, count }: Counter,
  after: number,
  limit: number,
): Promise<Recounted[]> {
  const { rows } = await sql<Recounted>`
    select it.id as id, ${sql.ref(`it.${column}`)} as stored, ${count} as counted from ${sql.table(table)} as it
    where it.id > ${after} order by it.id limit ${limit}`.execute(db)
  return rows
}

/** Sets the counter of these rows to what is counted now. */
export async function updateCounts(tx: Tx, { table, column, count }: Counter, ids: readonly number[]): Promise<void> {
  await sql`update ${sql.table(table)} as it set ${sql.ref(column)} = ${count} where it.id in (${sql.join(ids)})`.execute(
    tx,
  )
}
