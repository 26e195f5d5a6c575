import type { Ctx } from '../../access/context.ts'
import type { ReactionRow } from '../../db/tables/issue-details.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentWriter } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { Reaction } from './reaction.schemas.ts'

/** Presents reactions; one query loads their accounts. */
export async function presentReactions(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  rows: readonly ReactionRow[],
): Promise<Reaction[]> {
  const users = await loadUsers(ctx.db, pluck(rows, 'user_id'))
  return rows.map((row) => ({
    user: presentWriter(ctx, users.get(row.user_id), row.original_author),
    content: row.content,
    created_at: formatUnix(row.created_unix),
  }))
}

export async function presentReaction(ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>, row: ReactionRow): Promise<Reaction> {
  const [reaction] = await presentReactions(ctx, [row])
  return reaction as Reaction
}
