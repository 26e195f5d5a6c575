import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

/** A number in a row that can be counted from other rows. */
export interface Counter {
  readonly table: 'user' | 'repo' | 'label' | 'milestone'
  readonly column: string
  /** Counts for the row `it` of the table. */
  readonly count: RawBuilder<number>
}

const countOf = (table: Counter['table'], column: string, count: RawBuilder<number>): Counter => ({
  table,
  column,
  count,
})

/** Every counter that the program keeps, and what it counts. */
export const counters: readonly Counter[] = [
  countOf('user', 'num_repos', sql`(select count(*) from repo where repo.owner_id = it.id)`),
  countOf('user', 'num_stars', sql`(select count(*) from star where star.user_id = it.id)`),
  countOf('user', 'num_followers', sql`(select count(*) from follow where follow.user_id = it.id)`),
  countOf('user', 'num_following', sql`(select count(*) from follow where follow.follower_id = it.id)`),
  countOf('repo', 'num_stars', sql`(select count(*) from star where star.repo_id = it.id)`),
  countOf(
    'repo',
    'num_watches',
    sql`(select count(*) from watch where watch.repo_id = it.id and watch.mode <> 'dont')`,
  ),
  countOf('repo', 'num_forks', sql`(select count(*) from repo as fork where fork.fork_id = it.id)`),
  countOf('repo', 'num_issues', sql`(select count(*) from issue where issue.repo_id = it.id and not issue.is_pull)`),
  countOf(
    'repo',
    'num_closed_issues',
    sql`(select count(*) from issue where issue.repo_id = it.id and not issue.is_pull and issue.is_closed)`,
  ),
  countOf('repo', 'num_pulls', sql`(select count(*) from issue where issue.repo_id = it.id and issue.is_pull)`),
  countOf(
    'repo',
    'num_closed_pulls',
    sql`(select count(*) from issue where issue.repo_id = it.id and issue.is_pull and issue.is_closed)`,
  ),
  countOf('label', 'num_issues', sql`(select count(*) from issue_label where issue_label.label_id = it.id)`),
  countOf(
    'label',
    'num_closed_issues',
    sql`(select count(*) from issue_label join issue on issue.id = issue_label.issue_id
      where issue_label.label_id = it.id and issue.is_closed)`,
  ),
  countOf('milestone', 'num_issues', sql`(select count(*) from issue where issue.milestone_id = it.id)`),
  countOf(
    'milestone',
    'num_closed_issues',
    sql`(select count(*) from issue where issue.milestone_id = it.id and issue.is_closed)`,
  ),
]

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
