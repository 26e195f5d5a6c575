import type { Db, Tx } from '../../db/database.ts'
import type { Oid, PullId, UserId } from '../../lib/ids.ts'

/** Returns the contents that an account has marked as viewed in a pull request, by path. */
export async function listViewed(db: Db, pullId: PullId, userId: UserId): Promise<ReadonlyMap<string, Oid>> {
  const rows = await db
    .selectFrom('viewed_file')
    .select(['path', 'content_oid'])
    .where('pull_id', '=', pullId)
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map((row) => [row.path, row.content_oid]))
}

/** Marks a file with its content as viewed; a mark of an earlier content is replaced. */
export const upsertViewed = (
  tx: Tx,
  row: { readonly pull_id: PullId; readonly user_id: UserId; readonly path: string; readonly content_oid: Oid },
) =>
  tx
    .insertInto('viewed_file')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['pull_id', 'user_id', 'path']).doUpdateSet({ content_oid: row.content_oid }),
    )
    .execute()

export const deleteViewed = (tx: Tx, pullId: PullId, userId: UserId, path: string) =>
  tx
    .deleteFrom('viewed_file')
    .where('pull_id', '=', pullId)
    .where('user_id', '=', userId)
    .where('path', '=', path)
    .execute()
