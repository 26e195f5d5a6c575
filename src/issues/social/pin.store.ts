import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Returns pinned issues or pull requests in their order. */
export const listPinned = (db: Db, repoId: RepoId, isPull: boolean): Promise<IssueRow[]> =>
  db
    .selectFrom('issue')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('is_pull', '=', isPull)
    .where('pin_order', '>', sql.lit(0))
    .orderBy('pin_order')
    .execute()

export const countPinned = (db: Db | Tx, repoId: RepoId, isPull: boolean): Promise<number> =>
  countRows(
    (db as Db)
      .selectFrom('issue')
      .where('repo_id', '=', repoId)
      .where('is_pull', '=', isPull)
      .where('pin_order', '>', sql.lit(0)),
  )

/** Returns the highest position of a pin; 0 without pins. */
export const findLastPin = async (tx: Tx, repoId: RepoId, isPull: boolean): Promise<number> =>
  (
    await tx
      .selectFrom('issue')
      .select((each) => each.fn.max('pin_order').as('last'))
      .where('repo_id', '=', repoId)
      .where('is_pull', '=', isPull)
      .where('pin_order', '>', sql.lit(0))
      .executeTakeFirstOrThrow()
  ).last ?? 0

/** Locks the pins of a repository until the transaction ends. */
export const lockPins = (tx: Tx, repoId: RepoId) =>
  tx
    .updateTable('repo')
    .set({ last_index: sql`last_index` })
    .where('id', '=', repoId)
    .execute()

type Pinned = Pick<IssueRow, 'id' | 'repo_id' | 'is_pull' | 'pin_order'>

/** Unpins an issue and moves the pins after it up. */
export async function closePinGap(tx: Tx, issue: Pinned): Promise<void> {
  await tx.updateTable('issue').set({ pin_order: 0 }).where('id', '=', issue.id).execute()
  await tx
    .updateTable('issue')
    .set({ pin_order: sql`pin_order - 1` })
    .where('repo_id', '=', issue.repo_id)
    .where('is_pull', '=', issue.is_pull)
    .where('pin_order', '>', sql.lit(0))
    .where('pin_order', '>', issue.pin_order)
    .execute()
}

/** Moves an issue to a position, and the pins from that position on down. */
export async function openPinPosition(tx: Tx, issue: Pinned, position: number): Promise<void> {
  await tx
    .updateTable('issue')
    .set({ pin_order: sql`pin_order + 1` })
    .where('repo_id', '=', issue.repo_id)
    .where('is_pull', '=', issue.is_pull)
    .where('pin_order', '>', sql.lit(0))
    .where('pin_order', '>=', position)
    .execute()
  await tx.updateTable('issue').set({ pin_order: position }).where('id', '=', issue.id).execute()
}
