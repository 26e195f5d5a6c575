import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { IdBatch } from '../../db/id-batches.ts'
import type { UserId } from '../../lib/ids.ts'

/** Rows of grants that repeat columns of another table, and how to find its row. */
const copies = {
  team_user: { of: 'team', by: 'team_id', columns: ['includes_all_repositories', 'access_mode', 'unit_modes'] },
  collaboration: { of: 'repo', by: 'repo_id', columns: ['audience'] },
} as const

export type GivenTable = keyof typeof copies
export const givenTables = Object.keys(copies) as readonly GivenTable[]

/** Returns the condition that rows `it` of these accounts differ from the row that they repeat. */
function isOther(table: GivenTable, { after, last }: IdBatch<UserId>): RawBuilder<SqlBool> {
  const { of, by, columns } = copies[table]
  const differs = columns.map((name) => sql`${sql.ref(`it.${name}`)} <> ${sql.ref(`${of}.${name}`)}`)
  return sql<SqlBool>`it.user_id > ${after} and it.user_id <= ${last} and ${sql.ref(`${of}.id`)} = ${sql.ref(`it.${by}`)}
    and (${sql.join(differs, sql` or `)})`
}

export async function countOthers(db: Db, table: GivenTable, batch: IdBatch<UserId>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)} as it
    cross join ${sql.table(copies[table].of)} where ${isOther(table, batch)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Copies the columns again. */
export async function copyAnew(tx: Tx, table: GivenTable, batch: IdBatch<UserId>): Promise<void> {
  const { of, columns } = copies[table]
  const values = columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${of}.${name}`)}`)
  await sql`update ${sql.table(table)} as it set ${sql.join(values)} from ${sql.table(of)} where ${isOther(table, batch)}`.execute(
    tx,
  )
}
