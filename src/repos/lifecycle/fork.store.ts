import type { Db, Tx } from '../../db/database.ts'
import type { Oid, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Returns the fork of a repository that an account owns, except `butId`. */
export function findForkOf(db: Db | Tx, baseId: RepoId, ownerId: UserId, butId?: RepoId) {
  const query = db.selectFrom('repo').select('id').where('fork_id', '=', baseId).where('owner_id', '=', ownerId)
  return (butId === undefined ? query : query.where('id', '!=', butId)).executeTakeFirst()
}

/** Returns the creation times of a repository's tags by the objects they point at. */
export async function listTagTimes(db: Db, repoId: RepoId): Promise<ReadonlyMap<Oid, Unix>> {
  const rows = await db
    .selectFrom('tag')
    .select(['oid', 'created_unix'])
    .where('repo_id', '=', repoId)
    .where('is_deleted', '=', false)
    .execute()
  return new Map(rows.map((row) => [row.oid, row.created_unix]))
}

/** A row has six columns. SQLite accepts at most 32,766 parameters in a statement. */
const maxRowsPerStatement = 2000

/** Inserts the tags of a new repository. */
export async function insertTags(
  tx: Tx,
  repoId: RepoId,
  tags: readonly { readonly name: string; readonly oid: Oid; readonly commitOid: Oid; readonly createdUnix: Unix }[],
): Promise<void> {
  for (let start = 0; start < tags.length; start += maxRowsPerStatement) {
    await tx
      .insertInto('tag')
      .values(
        tags.slice(start, start + maxRowsPerStatement).map((tag) => ({
          repo_id: repoId,
          name: tag.name,
          oid: tag.oid,
          commit_oid: tag.commitOid,
          created_unix: tag.createdUnix,
        })),
      )
      .execute()
  }
}
