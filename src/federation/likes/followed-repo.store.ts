import type { Db, Tx } from '../../db/database.ts'
import type { FederatedServerRow, FollowedRepoRow } from '../../db/tables/federation.ts'
import type { RepoId, ServerId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Lists the remote repositories that a repository follows, oldest first. */
export const listFollowedRepos = (db: Db | Tx, repoId: RepoId): Promise<FollowedRepoRow[]> =>
  db.selectFrom('followed_repo').selectAll().where('repo_id', '=', repoId).orderBy('id').execute()

export type LikedRepo = FollowedRepoRow & Pick<FederatedServerRow, 'software'>

/** Lists the followed repositories with the software of their servers. */
export const listLikedRepos = (tx: Tx, repoId: RepoId): Promise<LikedRepo[]> =>
  tx
    .selectFrom('followed_repo')
    .innerJoin('federated_server', 'federated_server.id', 'followed_repo.server_id')
    .selectAll('followed_repo')
    .select('federated_server.software')
    .where('repo_id', '=', repoId)
    .orderBy('followed_repo.id')
    .execute()

export interface NewFollowedRepo {
  readonly serverId: ServerId
  readonly url: string
  readonly inboxUrl: string
}

/** Replaces the repositories that a repository follows; those that stay keep their place. */
export async function replaceFollowedRepos(
  tx: Tx,
  repoId: RepoId,
  repos: readonly NewFollowedRepo[],
  createdUnix: Unix,
): Promise<void> {
  const old = tx.deleteFrom('followed_repo').where('repo_id', '=', repoId)
  const urls = repos.map(({ url }) => url)
  await (urls.length === 0 ? old : old.where('url', 'not in', urls)).execute()
  if (repos.length === 0) return
  await tx
    .insertInto('followed_repo')
    .values(
      repos.map(({ serverId, url, inboxUrl }) => ({
        repo_id: repoId,
        server_id: serverId,
        url,
        inbox_url: inboxUrl,
        created_unix: createdUnix,
      })),
    )
    .onConflict((conflict) => conflict.columns(['repo_id', 'url']).doNothing())
    .execute()
}
