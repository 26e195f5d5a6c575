import type { Db, Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** A repository and its owner, as far as addresses and queues name them. */
export const findHome = (
  db: Db | Tx,
  repoId: RepoId,
): Promise<{ readonly ownerId: UserId; readonly ownerName: string; readonly repoName: string } | undefined> =>
  db
    .selectFrom('repo')
    .innerJoin('user', 'user.id', 'repo.owner_id')
    .select(['repo.owner_id as ownerId', 'user.name as ownerName', 'repo.name as repoName'])
    .where('repo.id', '=', repoId)
    .executeTakeFirst()
