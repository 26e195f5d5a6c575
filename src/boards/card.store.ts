import { sql, type Expression } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { IssueId, SavedViewId } from '../lib/ids.ts'

/** The columns of an issue or pull request that a card shows or that decide its place. */
const shown = [
  'id',
  'repo_id',
  'index',
  'is_pull',
  'title',
  'milestone_id',
  'is_closed',
  'num_comments',
  'due_unix',
  'listed_due_unix',
  'created_unix',
  'updated_unix',
  'closed_unix',
  'merged_unix',
] as const satisfies readonly (keyof IssueRow)[]

/** An issue or pull request in a view. */
export interface CardRow extends Pick<IssueRow, (typeof shown)[number]> {
  /** Null: nobody has put it anywhere. */
  readonly rank: number | null
}

/** Loads cards, in no order. */
export const loadCards = (db: Db, viewId: SavedViewId, ids: readonly IssueId[]): Promise<readonly CardRow[]> =>
  cardsOf(db, viewId, idListText(ids))

const cardsOf = preparedQuery((db: Db, viewId: SavedViewId, ids: string) =>
  db
    .selectFrom('issue')
    .leftJoin('saved_view_card', (join) =>
      join.onRef('saved_view_card.issue_id', '=', 'issue.id').on('saved_view_card.view_id', '=', viewId),
    )
    .select(shown.map((name) => `issue.${name}` as const))
    .select('saved_view_card.rank')
    .where('issue.id', 'in', idList(db, ids) as Expression<IssueId>),
)

/** Returns the ranks of cards that have one. */
export async function loadRanks(
  db: Db | Tx,
  viewId: SavedViewId,
  ids: readonly IssueId[],
): Promise<ReadonlyMap<IssueId, number>> {
  const rows = await (db as Db)
    .selectFrom('saved_view_card')
    .select(['issue_id', 'rank'])
    .where('view_id', '=', viewId)
    .where('issue_id', 'in', idList(db as Db, idListText(ids)) as Expression<IssueId>)
    .execute()
  return new Map(rows.map((row) => [row.issue_id, row.rank]))
}

/** Returns the ranks of a view's first and last card; undefined without cards. */
export async function findRankRange(
  tx: Tx,
  viewId: SavedViewId,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const { first, last } = await tx
    .selectFrom('saved_view_card')
    .select(({ fn }) => [fn.min('rank').as('first'), fn.max('rank').as('last')])
    .where('view_id', '=', viewId)
    .executeTakeFirstOrThrow()
  return first === null || last === null ? undefined : { first, last }
}

/** Returns the smallest rank above another, of another card than the given one. */
export async function findNextRank(
  tx: Tx,
  viewId: SavedViewId,
  rank: number,
  except: IssueId,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('saved_view_card')
    .select('rank')
    .where('view_id', '=', viewId)
    .where('rank', '>', rank)
    .where('issue_id', '!=', except)
    .orderBy('rank')
    .limit(1)
    .executeTakeFirst()
  return row?.rank
}

/** Gives cards their ranks, instead of those that they have. */
export async function setRanks(
  tx: Tx,
  viewId: SavedViewId,
  ranks: readonly { readonly issueId: IssueId; readonly rank: number }[],
): Promise<void> {
  if (ranks.length === 0) return
  await tx
    .insertInto('saved_view_card')
    .values(ranks.map(({ issueId, rank }) => ({ view_id: viewId, issue_id: issueId, rank })))
    .onConflict((on) => on.columns(['view_id', 'issue_id']).doUpdateSet({ rank: (row) => row.ref('excluded.rank') }))
    .execute()
}

/** Spreads the ranks of a view's cards evenly, in their order. */
export async function spreadRanks(tx: Tx, viewId: SavedViewId, gap: number): Promise<void> {
  await sql`update saved_view_card set rank = spread.position * ${sql.lit(gap)} from (
      select issue_id, row_number() over (order by rank, issue_id) as position from saved_view_card
      where view_id = ${viewId}) as spread
    where saved_view_card.view_id = ${viewId} and saved_view_card.issue_id = spread.issue_id`.execute(tx)
}
