import type { Db } from '../db/database.ts'
import { pluck } from '../lib/pluck.ts'
import type { RepoId } from '../lib/ids.ts'
import { loadUsers } from '../users/user.store.ts'
import type { RepoWithOwner } from './repo-with-owner.ts'
import { loadRepos } from './issue.store.ts'

/** Loads repositories with their owners by id, in two queries. Repositories in `known` are not loaded again. */
export async function loadReposWithOwners(
  db: Db,
  repoIds: Iterable<RepoId>,
  known: readonly RepoWithOwner[] = [],
): Promise<ReadonlyMap<RepoId, RepoWithOwner>> {
  const reposWithOwners = new Map(known.map((repoWithOwner) => [repoWithOwner.repo.id, repoWithOwner]))
  const repos = await loadRepos(
    db,
    [...repoIds].filter((id) => !reposWithOwners.has(id)),
  )
  const owners = await loadUsers(db, pluck([...repos.values()], 'owner_id'))
  for (const repo of repos.values()) {
    const owner = owners.get(repo.owner_id)
    if (owner) reposWithOwners.set(repo.id, { repo, owner })
  }
  return reposWithOwners
}
