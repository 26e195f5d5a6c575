import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { CellSort } from '../db/tables/issues.ts'
import type { RepoId } from '../lib/ids.ts'
import { blockShards } from './block.store.ts'
import { rowsOf } from './cell.store.ts'

/** Issues or comments of a repository, which the database counts by cells. */
export interface Celled {
  readonly repo_id: RepoId
  readonly of_comments: boolean
  readonly cell_bits: number | null
}

/** A width for what has none, for whatever reason. */
const someBits = 19
/** Of so many seconds, as a power of two, every time is in the first cell or beside it. */
const mostBits = 52

const sortsOf = (ofComments: boolean): readonly CellSort[] =>
  ofComments ? ['comment'] : ['created', 'comments', 'due', 'dated']

/** All that is counted by cells. */
export const listCelled = (db: Db): Promise<Celled[]> =>
  db
    .selectFrom('issue_block_repo')
    .select(['repo_id', 'of_comments', 'cell_bits'])
    .orderBy('repo_id')
    .orderBy('of_comments')
    .execute()

/** Whether any order has more cells than so many. */
export async function hasMoreCells(db: Db, { repo_id: repoId, of_comments }: Celled, most: number): Promise<boolean> {
  const found = await db
    .selectFrom('issue_cell')
    .where('repo_id', '=', repoId)
    .where('sort', 'in', sortsOf(of_comments))
    .groupBy('sort')
    .having((each) => each.fn.countAll(), '>', most)
    .select('sort')
    .execute()
  return found.length > 0
}

const ofCelled = (tx: Tx, { repo_id: repoId, of_comments }: Celled) =>
  tx.updateTable('issue_block_repo').where('repo_id', '=', repoId).where('of_comments', '=', of_comments)

/**
 * Makes the cells twice as wide: the database puts together what there is, and has those who write wait.
 * @returns whether they were not as wide as can be
 */
export async function widenCells(tx: Tx, celled: Celled): Promise<boolean> {
  const { numUpdatedRows } = await ofCelled(tx, celled)
    .where('cell_bits', '<', mostBits)
    .set({ cell_bits: sql`cell_bits + 1` })
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Counts all anew: the database takes the cells away and makes them again. */
export async function recountCells(tx: Tx, celled: Celled): Promise<void> {
  await ofCelled(tx, celled).set({ cell_bits: null }).execute()
  await ofCelled(tx, celled)
    .set({ cell_bits: celled.cell_bits ?? someBits })
    .execute()
}

/** In which of its rows a cell counts an issue or comment. */
const shardOf = (sort: CellSort) =>
  sort === 'comments' || sort === 'comment'
    ? sql`${sql.ref(sort === 'comment' ? 'issue_id' : 'id')} % ${sql.lit(blockShards)}`
    : sql`0`

/** How many cells of a repository are not what can be counted, or are of another width. */
export async function countWrongCells(db: Db, { repo_id: repoId, of_comments, cell_bits }: Celled): Promise<number> {
  if (cell_bits === null) return 1
  const counts = ['open_issues', 'closed_issues', 'open_pulls', 'closed_pulls'].map((each) => sql.ref(each))
  const all = sortsOf(of_comments).flatMap((sort) => {
    const { x, isAmong = of_comments ? sql`type = 'comment'` : sql`${sql.lit(true)}` } = rowsOf[sort]
    const [isPull, isClosed] = of_comments ? [sql`is_of_pull`, sql`${sql.lit(false)}`] : [sql`is_pull`, sql`is_closed`]
    const counted = [
      sql`not ${isPull} and not ${isClosed}`,
      sql`not ${isPull} and ${isClosed}`,
      sql`${isPull} and not ${isClosed}`,
      sql`${isPull} and ${isClosed}`,
    ].map((isKind, index) => sql`sum(case when ${isKind} then 1 else 0 end) as ${counts[index]}`)
    return [
      sql`select ${sql.lit(sort)} as sort, ${sql.lit(cell_bits)} as bits, updated_unix >> ${cell_bits} as y, ${x(cell_bits)} as x,
          ${shardOf(sort)} as shard,
          ${sql.join(counted)}
        from ${sql.table(of_comments ? 'comment' : 'issue')} where repo_id = ${repoId} and ${isAmong}
        group by 3, 4, 5`,
      sql`select sort, bits, y, x, shard, ${sql.join(counts.map((each) => sql`-${each}`))} from issue_cell
        where repo_id = ${repoId} and sort = ${sql.lit(sort)}`,
    ]
  })
  const wrong = sql`select 1 from (${sql.join(all, sql` union all `)}) as each_cell group by sort, bits, y, x, shard
    having ${sql.join(
      counts.map((each) => sql`sum(${each}) <> 0`),
      sql` or `,
    )}`
  const { count } = await db
    .selectFrom(sql`(${wrong})`.as('wrong'))
    .select((each) => each.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
