import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { jsonRows } from '../../db/portable.ts'
import { hasRow } from '../../db/rows.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { IssueId, Oid } from '../../lib/ids.ts'

/** The commits whose lines comments are about: the head, and the merge base when there is one. */
export interface LineCommits {
  readonly newOid: Oid
  readonly oldOid: Oid | undefined
}

/** Returns line comments that are about other commits than the newest and not outdated, oldest first. */
export const listLinesBehind = (
  db: Db,
  issueId: IssueId,
  { newOid, oldOid = '' as Oid }: LineCommits,
  limit: number,
): Promise<CommentRow[]> =>
  db
    .selectFrom('comment')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('type', '=', 'code')
    .where('is_invalidated', '=', false)
    .where('line_oid', '!=', '')
    .where((where) =>
      where.or([
        where.and([where('line', '>', 0), where('line_oid', '!=', newOid)]),
        where.and([where('line', '<', 0), where('line_oid', '!=', oldOid)]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** Whether a pull request has line comments that can follow. */
export const hasLines = (db: Db | Tx, issueId: IssueId): Promise<boolean> =>
  hasRow(
    db.selectFrom('comment').where('issue_id', '=', issueId).where('type', '=', 'code').where('line_oid', '!=', ''),
  )

export type LineAddress = Pick<CommentRow, 'line_oid' | 'tree_path' | 'line' | 'first_line'>

/** A comment whose place is known from its row, and its place now; undefined marks it as outdated. */
export interface LineChange {
  readonly row: CommentRow
  readonly now: LineAddress | undefined
}

/** Sets the places of line comments, unless another writer has moved them since they were read. One statement. */
export async function updateLines(tx: Tx, changes: readonly LineChange[]): Promise<void> {
  if (changes.length === 0) return
  const text = JSON.stringify(
    changes.map(({ row, now }) => ({
      id: row.id,
      from: row.line_oid,
      oid: now?.line_oid ?? row.line_oid,
      path: now?.tree_path ?? row.tree_path,
      line: now?.line ?? row.line,
      first: now?.first_line ?? row.first_line,
      gone: now === undefined ? 1 : 0,
    })),
  )
  await sql`
    update comment set
      line_oid = change.value ->> 'oid',
      tree_path = change.value ->> 'path',
      line = cast(change.value ->> 'line' as integer),
      first_line = cast(change.value ->> 'first' as integer),
      is_invalidated = (cast(change.value ->> 'gone' as integer) = 1)
    from ${jsonRows(tx, text)} as change
    where comment.id = cast(change.value ->> 'id' as bigint) and comment.line_oid = change.value ->> 'from'`.execute(tx)
}

/** Makes outdated comments current whose commit is the newest again. */
export async function restoreLines(tx: Tx, issueId: IssueId, { newOid, oldOid }: LineCommits): Promise<void> {
  await tx
    .updateTable('comment')
    .set({ is_invalidated: false })
    .where('issue_id', '=', issueId)
    .where('type', '=', 'code')
    .where('is_invalidated', '=', true)
    .where((where) =>
      where.or([
        where.and([where('line', '>', 0), where('line_oid', '=', newOid)]),
        ...(oldOid === undefined ? [] : [where.and([where('line', '<', 0), where('line_oid', '=', oldOid)])]),
      ]),
    )
    .execute()
}
