import { sql, type SqlBool } from 'kysely'
import type { Counter, ExpectedRows } from '../../access/contributions/counter.ts'
import type { Db, Tx } from '../../db/database.ts'

export interface Recounted {
  readonly id: number
  readonly stored: number
  readonly counted: number
}

/** Returns stored and actual counts of rows in order of id, after `after`. */
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

/** Sets the counter of these rows to the actual count. */
export async function updateCounts(tx: Tx, { table, column, count }: Counter, ids: readonly number[]): Promise<void> {
  await sql`update ${sql.table(table)} as it set ${sql.ref(column)} = ${count} where it.id in (${sql.join(ids)})`.execute(
    tx,
  )
}

/** Returns the id of the last row of a batch after an id; undefined when there are no more rows. Ids have gaps. */
export async function findEndOfBatch(db: Db, table: string, after: number, limit: number): Promise<number | undefined> {
  const batch = sql`select id from ${sql.table(table)} where id > ${after} order by id limit ${limit}`
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from (${batch}) as batch`.execute(db)
  return rows[0]?.id ?? undefined
}

/** Selects the keys within a range of ids that have no row for their count. */
function missing({ table }: Counter, { columns, keys }: ExpectedRows, after: number, last: number) {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const isIt = sql.join(
    columns.map((column) => sql`${sql.ref(`counted.${column}`)} = ${sql.ref(`wanted.${column}`)}`),
    sql` and `,
  )
  return sql`select distinct ${names} from (${keys(sql<SqlBool>`each.id > ${after} and each.id <= ${last}`)}) as wanted
    where not exists (select 1 from ${sql.table(table)} as counted where ${isIt})`
}

export async function countMissing(
  db: Db,
  counter: Counter,
  expected: ExpectedRows,
  after: number,
  last: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from (${missing(counter, expected, after, last)}) as missing`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts missing rows with count 0; the recount corrects them. */
export async function insertMissing(
  tx: Tx,
  counter: Counter,
  expected: ExpectedRows,
  after: number,
  last: number,
): Promise<void> {
  const names = sql.join(expected.columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(counter.table)} (${names}, ${sql.ref(counter.column)})
    select missing.*, 0 from (${missing(counter, expected, after, last)}) as missing`.execute(tx)
}
