import type { Ctx } from '../../access/context.ts'
import type { ReceivedActivityRow } from '../../db/tables/federation.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentAuthor } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { FederatedActivity } from './received.schemas.ts'

export async function presentReceived(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  rows: readonly ReceivedActivityRow[],
): Promise<FederatedActivity[]> {
  const actors = await loadUsers(ctx.db, pluck(rows, 'actor_id'))
  return rows.map((row) => ({
    id: row.id,
    actor: presentAuthor(ctx, actors.get(row.actor_id)),
    type: row.type,
    object_type: row.object_type,
    object_url: row.object_url,
    title: row.title,
    content: row.content,
    html_url: row.page_url,
    direct: row.addressee_id !== null,
    published_at: formatUnix(row.published_unix),
  }))
}
