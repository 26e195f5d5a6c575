import type { Ctx, RepoCtx } from '../access/context.ts'
import { noRepo, openRepo } from '../access/resolve-repo.ts'
import type { RepoId } from '../lib/ids.ts'
import { findUserById } from '../users/user.store.ts'
import { findRepoById } from './repo.store.ts'

type RepoParts = Pick<RepoCtx, 'owner' | 'repo' | 'units' | 'rights'>

/** Returns a visible repository by id, or throws `NotFound`. */
export async function getRepoById(ctx: Ctx, id: RepoId): Promise<RepoParts> {
  const repo = await findRepoById(ctx.db, id)
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !owner) throw noRepo()
  return openRepo(ctx, owner, repo)
}
