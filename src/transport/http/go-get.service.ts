import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { Ctx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { escapeSegment } from '../../lib/escape-url.ts'
import type { RepoAddress } from '../../repos/repo-url.ts'

/** The repository when the viewer may read it, else the names in the address. */
export async function findGoRepository(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
): Promise<{ repository: RepoAddress; defaultBranch: string }> {
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  const repo = owner && (await findRepoByName(ctx.db, owner.id, repoName.toLowerCase()))
  if (repo && (await accessTo(ctx.db, ctx.viewer, owner, repo)).rights.canRead('code')) {
    return { repository: { config: ctx.config, owner, repo }, defaultBranch: repo.default_branch }
  }
  const unknown = {
    config: ctx.config,
    owner: { name: escapeSegment(ownerName) },
    repo: { name: escapeSegment(repoName) },
  }
  return { repository: unknown, defaultBranch: ctx.config.repository.defaultBranch }
}
