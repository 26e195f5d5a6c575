import { sql } from 'kysely'
import type { FileColumn } from '../../access/feature.ts'
import type { Db } from '../../db/database.ts'

/** Returns the blobs that rows name, in order of row id, after `after`. */
export async function listNamedBlobs(
  db: Db,
  { table, column }: FileColumn,
  after: number,
  limit: number,
): Promise<{ id: number; key: string }[]> {
  const key = sql.ref(column)
  const { rows } = await sql<{ id: number; key: string }>`
    select id, ${key} as key from ${sql.table(table)}
    where id > ${after} and ${key} <> '' order by id limit ${limit}`.execute(db)
  return rows
}
