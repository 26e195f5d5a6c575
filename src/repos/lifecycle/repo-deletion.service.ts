import type { Services } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { deleteUnusedKeys, listDeployKeyIdsOf } from '../people/deploy-key.store.ts'
import { addToForkCount, addToRepoCount, deleteRepoRow, detachForks } from '../repo.store.ts'

/**
 * Deletes a repository: rows and counts in the transaction, git data and files after the commit. Its forks become
 * independent.
 */
export async function deleteRepo(services: Services, owner: UserRow, repo: RepoRow, doerId: UserId): Promise<void> {
  const { ownedByRepos } = contributionsOf(services)
  await transaction(services.db, async (tx) => {
    for (const { leave } of ownedByRepos) await leave(tx, repo)
    await detachForks(tx, repo.id)
    const keyIds = await listDeployKeyIdsOf(tx, repo.id)
    if (!(await deleteRepoRow(tx, repo.id))) throw new NotFound('the repository does not exist', 'repo_not_found')
    await deleteUnusedKeys(tx, keyIds)
    if (repo.fork_id !== null) await addToForkCount(tx, repo.fork_id, -1)
    await addToRepoCount(tx, owner.id, -1)
    await publish(tx, 'repo.deleted', {
      repoId: repo.id,
      doerId,
      ownerId: owner.id,
      ownerName: owner.name,
      name: repo.name,
      gitKeys: [repo.git_key, ...(repo.wiki_git_key === null ? [] : [repo.wiki_git_key])],
      avatarKey: repo.avatar_key,
    })
  })
}
