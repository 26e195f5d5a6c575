import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import { pluck } from '../lib/pluck.ts'
import type { Unix } from '../lib/time.ts'
import { loadUsers } from '../users/user.store.ts'
import { listContentHistory } from './content-history.store.ts'

/** A version of the text of an issue or comment. */
export interface TextVersion {
  readonly content: string
  readonly unix: Unix
  readonly editor: UserRow | undefined
  readonly isFirst: boolean
}

/** Most versions that are returned. */
const shownAtMost = 50

/** Returns the versions of a text, newest first, at most 50. The caller has checked that the viewer may read it. */
export async function getHistory(
  ctx: Ctx,
  issue: IssueRow,
  comment: CommentRow | undefined,
): Promise<readonly TextVersion[]> {
  const rows = await listContentHistory(ctx.db, issue.id, comment?.id ?? 0, shownAtMost)
  const users = await loadUsers(ctx.db, pluck(rows, 'poster_id'))
  return rows.map((row) => ({
    content: row.content,
    unix: row.edited_unix,
    editor: users.get(row.poster_id),
    isFirst: row.is_first,
  }))
}
