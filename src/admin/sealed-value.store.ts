import { sql } from 'kysely'
import type { SealedColumn } from '../access/feature.ts'
import type { Db, Tx } from '../db/database.ts'

export interface SealedValue {
  readonly id: number
  readonly sealed: string
}

export const countSealedValues = async (db: Db, { table, column }: SealedColumn): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} <> ''`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the next non-empty values in order of id, after an id. */
export const listSealedValues = async (
  db: Db,
  { table, column }: SealedColumn,
  afterId: number,
  limit: number,
): Promise<SealedValue[]> =>
  (
    await sql<SealedValue>`
      select id, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where id > ${afterId} and ${sql.ref(column)} <> '' order by id limit ${limit}`.execute(db)
  ).rows

export interface ResealedValue extends SealedValue {
  readonly resealed: string
}

/** Writes re-encrypted values in one statement, except those that changed since they were read. */
export async function updateSealedValues(
  tx: Tx,
  { table, column }: SealedColumn,
  values: readonly ResealedValue[],
): Promise<void> {
  const ref = sql.ref(column)
  const cases = values.map(({ id, sealed, resealed }) => sql`when id = ${id} and ${ref} = ${sealed} then ${resealed}`)
  const ids = sql.join(values.map(({ id }) => id))
  await sql`update ${sql.table(table)} set ${ref} = case ${sql.join(cases, sql` `)} else ${ref} end
    where id in (${ids})`.execute(tx)
}
