import type { RepoCtx } from '../../access/context.ts'
import { accessToAll } from '../../access/repo-access.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { NotFound } from '../../lib/errors.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Page } from '../../lib/paging.ts'
import { loadUsers } from '../../users/user.store.ts'
import { getRepoById } from '../repo.service.ts'
import { listForksOwnedBy } from '../repo.store.ts'
import { searchRepos } from '../search/repo-search.store.ts'

/** A repository with its owner. */
export interface NetworkRepo {
  readonly repo: RepoRow
  readonly owner: UserRow
}

async function readable(ctx: RepoCtx, repos: readonly RepoRow[]): Promise<NetworkRepo[]> {
  const owners = await loadUsers(ctx.db, pluck(repos, 'owner_id'))
  const found = repos.flatMap((repo) => {
    const owner = owners.get(repo.owner_id)
    return owner ? [{ repo, owner }] : []
  })
  const access = await accessToAll(ctx.db, ctx.viewer, found)
  return found.filter(({ repo }) => access.get(repo.id)?.rights.canRead('code'))
}

/**
 * Returns a page of the repository, its origin, the forks of its origin and its own forks, as far as the viewer may read
 * their code: those of the viewer first.
 * @param words a part of the name, or `owner/name`; '' for all
 */
export async function listNetwork(
  ctx: RepoCtx,
  words: string,
  page: Page,
): Promise<{ readonly repos: readonly NetworkRepo[]; readonly total: number }> {
  const filter = { relatedTo: ctx.repo, ...(words === '' ? {} : { words: [words] }) }
  const sort = { by: 'name', descending: false, firstOwnerId: ctx.viewer?.id } as const
  const { repos, total } = await searchRepos(ctx.db, filter, ctx.viewer, sort, page)
  return { repos: await readable(ctx, repos), total }
}

/** Returns the viewer's own forks of the repository. */
export async function listOwnForks(ctx: RepoCtx): Promise<readonly NetworkRepo[]> {
  if (!ctx.viewer || ctx.repo.num_forks === 0) return []
  return readable(ctx, await listForksOwnedBy(ctx.db, ctx.repo.id, ctx.viewer.id))
}

/** Returns the origin of a fork; undefined when it was deleted or the viewer may not read its code. */
export async function findReadableOrigin(
  ctx: RepoCtx,
): Promise<(NetworkRepo & Pick<RepoCtx, 'rights' | 'units'>) | undefined> {
  if (ctx.repo.fork_id === null) return undefined
  const found = await getRepoById(ctx, ctx.repo.fork_id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
  return found?.rights.canRead('code') ? found : undefined
}
