import type { SignedInRepoCtx } from '../access/context.ts'
import { accessTo } from '../access/repo-access.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findUserById } from '../users/user.store.ts'

/**
 * Returns the head repository of a pull request with the caller's rights in it; undefined for a topic, and when the
 * repository does not exist.
 */
export async function openHeadRepo(ctx: SignedInRepoCtx, pull: PullRow): Promise<SignedInRepoCtx | undefined> {
  if (pull.flow === 1 || pull.head_repo_id === null) return undefined
  if (pull.head_repo_id === ctx.repo.id) return ctx
  const repo = await findRepoById(ctx.db, pull.head_repo_id)
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !owner) return undefined
  return { ...ctx, repo, owner, ...(await accessTo(ctx.db, ctx.viewer, owner, repo)) }
}
