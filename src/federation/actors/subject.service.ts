import type { Ctx, RepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { noRepo } from '../../access/resolve-repo.ts'
import { loadReposWithOwners } from '../../issues/repo-with-owner.store.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Returns a repository with the rights of a guest. Throws `NotFound` when guests may not see it. */
export async function getPublicRepo(ctx: Ctx, id: RepoId): Promise<Omit<RepoCtx, keyof Ctx>> {
  const found = (await loadReposWithOwners(ctx.db, [id])).get(id)
  if (!found) throw noRepo()
  const { repo, owner } = found
  const { units, rights } = await accessTo(ctx.db, undefined, owner, repo)
  if (!rights.any) throw noRepo()
  return { repo, owner, units, rights }
}
