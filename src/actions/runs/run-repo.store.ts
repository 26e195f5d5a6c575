import type { Db, Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** Returns the owner and the names of a repository, for addresses and queues. */
export const findRunRepo = (
  db: Db | Tx,
  repoId: RepoId,
): Promise<{ readonly ownerId: UserId; readonly ownerName: string; readonly repoName: string } | undefined> =>
  db
    .selectFrom('repo')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['repo.owner_id as ownerId', 'user.name as ownerName', 'repo.name as repoName'])
    .where('repo.id', '=', repoId)
    .executeTakeFirst()
