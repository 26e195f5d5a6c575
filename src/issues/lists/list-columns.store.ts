import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { IdBatch } from '../../db/id-batches.ts'
import type { IssueId } from '../../lib/ids.ts'

/** The columns that rows of other tables repeat from their issue for the indexes of lists: own name to the issue's name. */
const wholePlace = { repo_id: 'repo_id', is_pull: 'is_pull', is_closed: 'is_closed', created_unix: 'created_unix' }
const shortPlace = { repo_id: 'repo_id', is_of_pull: 'is_pull' }
const placed = {
  issue_label: { columns: wholePlace },
  issue_assignee: { columns: wholePlace },
  issue_mention: { columns: wholePlace },
  tracked_time: { columns: shortPlace },
  review: {
    columns: { repo_id: 'repo_id', is_of_closed: 'is_closed', pull_created_unix: 'created_unix' },
    only: sql<SqlBool>`it.type = 'request'`,
    // The unary `+` keeps SQLite from the index of all reviews of the account.
    derived: {
      is_waiting: sql<SqlBool>`(it.reviewer_id is null or (it.reviewer_id <> issue.poster_id
        and not exists (select 1 from review as verdict where verdict.issue_id = it.issue_id
          and +verdict.reviewer_id = it.reviewer_id and verdict.type in ('approve', 'reject') and verdict.id > it.id)))`,
    },
  },
  comment: { columns: shortPlace, only: sql<SqlBool>`it.type in ('comment', 'code', 'review')` },
} as const

export type ListedTable = keyof typeof placed
export const listedTables = Object.keys(placed) as readonly ListedTable[]

/** Returns the columns of a table's rows `it` with the values that their `issue` gives. */
const saidBy = (table: ListedTable): [column: string, value: RawBuilder<unknown>][] => {
  const shape = placed[table]
  return [
    ...Object.entries(shape.columns).map(([own, ofIssue]): [string, RawBuilder<unknown>] => [
      own,
      sql.ref(`issue.${ofIssue}`),
    ]),
    ...('derived' in shape ? Object.entries(shape.derived) : []),
  ]
}

/** Returns the condition for rows `it` of the batch whose columns differ from their issue. */
function isMisplaced(table: ListedTable, { after, last }: IdBatch<IssueId>): RawBuilder<SqlBool> {
  const shape = placed[table]
  const differs = saidBy(table).map(([own, value]) => sql`${sql.ref(`it.${own}`)} is distinct from ${value}`)
  const only = 'only' in shape ? shape.only : sql<SqlBool>`true`
  return sql<SqlBool>`it.issue_id > ${after} and it.issue_id <= ${last} and issue.id = it.issue_id and ${only}
    and (${sql.join(differs, sql` or `)})`
}

export async function countWrongColumns(db: Db, table: ListedTable, batch: IdBatch<IssueId>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)} as it
    cross join issue where ${isMisplaced(table, batch)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Copies the columns from the issues of the batch. */
export async function repairColumns(tx: Tx, table: ListedTable, batch: IdBatch<IssueId>): Promise<void> {
  const values = saidBy(table).map(([own, value]) => sql`${sql.ref(own)} = ${value}`)
  await sql`update ${sql.table(table)} as it set ${sql.join(values)} from issue where ${isMisplaced(table, batch)}`.execute(
    tx,
  )
}
