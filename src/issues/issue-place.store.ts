import type { Db } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'
import { loadUsers } from '../users/user.store.ts'
import type { IssuePlace } from './issue-place.ts'
import { loadRepos } from './issue.store.ts'

/** Repositories by id with their owners: two queries, none for those that are `known`. */
export async function loadPlaces(
  db: Db,
  repoIds: Iterable<RepoId>,
  known: readonly IssuePlace[] = [],
): Promise<ReadonlyMap<RepoId, IssuePlace>> {
  const places = new Map(known.map((place) => [place.repo.id, place]))
  const repos = await loadRepos(
    db,
    [...repoIds].filter((id) => !places.has(id)),
  )
  const owners = await loadUsers(
    db,
    [...repos.values()].map((repo) => repo.owner_id),
  )
  for (const repo of repos.values()) {
    const owner = owners.get(repo.owner_id)
    if (owner) places.set(repo.id, { repo, owner })
  }
  return places
}
