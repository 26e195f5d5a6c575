import type { Services } from '../access/context.ts'
import { contributionsOf } from '../access/feature.ts'
import { transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import { addToRepoCount, deleteRepoRow, loadRepos } from '../repos/repo.store.ts'
import { reservedName } from './hidden-account.service.ts'
import { findReservedAccount } from './hidden-account.store.ts'
import { findImportOfRepo, listRepoIdsOf } from './import.store.ts'

/** Deletes hidden repositories without an import, whose accounts were deleted meanwhile, and returns how many. */
export async function removeStrayImports(services: Services): Promise<number> {
  const { db } = services
  const hidden = await findReservedAccount(db, reservedName)
  if (!hidden) return 0
  const repos = await loadRepos(db, await listRepoIdsOf(db, hidden.id))
  let removed = 0
  for (const repo of repos.values()) {
    const isDeleted = await transaction(db, async (tx) => {
      if (await findImportOfRepo(tx, repo.id)) return false
      for (const { leave } of contributionsOf(services).ownedByRepos) await leave(tx, repo)
      if (!(await deleteRepoRow(tx, repo.id))) return false
      await addToRepoCount(tx, hidden.id, -1)
      await publish(tx, 'repo.importAbandoned', {
        repoId: repo.id,
        doerId: hidden.id,
        gitKeys: [repo.git_key, ...(repo.wiki_git_key === null ? [] : [repo.wiki_git_key])],
      })
      return true
    })
    if (isDeleted) removed += 1
  }
  return removed
}
