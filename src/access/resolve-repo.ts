import { Moved, NotFound } from '../lib/errors.ts'
import { findAccountByFormerName, findAccountByName, findRepoByFormerName, findRepoByName } from './access.store.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { accessTo } from './repo-access.ts'
import { refusePrivate } from './requirements.ts'

/**
 * Finds the repository of a path and what the viewer may do there. Missing and unreadable ones are 404 alike; renamed
 * accounts answer 307, renamed or transferred repositories 301, before the rights are looked at (contract R2).
 * @param addressUnder the address of what is asked, under other names
 */
export async function resolveRepo(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
  addressUnder: (ownerName: string, repoName: string) => string,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  if (!owner) {
    const renamed = await findAccountByFormerName(ctx.db, ownerName.toLowerCase())
    if (!renamed) throw new NotFound('the repository does not exist', 'repo_not_found')
    throw new Moved(307, addressUnder(renamed.name, repoName))
  }
  const repo = await findRepoByName(ctx.db, owner.id, repoName.toLowerCase())
  if (!repo) {
    const moved = await findRepoByFormerName(ctx.db, owner.id, repoName.toLowerCase())
    if (!moved) throw new NotFound('the repository does not exist', 'repo_not_found')
    throw new Moved(301, addressUnder(moved.owner_name, moved.repo_name))
  }
  const { units, rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  if (rights.rank === 0 && !units.some((row) => rights.modeOf(row.unit) > 0)) {
    throw new NotFound('the repository does not exist', 'repo_not_found')
  }
  refusePrivate(ctx.viewer, repo.is_private, 'repos')
  return { owner, repo, units, rights }
}
