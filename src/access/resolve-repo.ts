import { Moved, NotFound } from '../lib/errors.ts'
import { findAccountByFormerName, findRepoByFormerName, findRepoOfPath, type RepoOfPath } from './access.store.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { sightOf } from './named-account.ts'
import { accessTo } from './repo-access.ts'
import { publicOnly } from './requirements.ts'

/** What is said where there is no repository, or none for the viewer. */
export const noRepo = () => new NotFound('the repository does not exist', 'repo_not_found')

/**
 * Finds the repository of a path and what the viewer may do there. Missing and unreadable ones are 404 alike; renamed
 * accounts that the viewer may see answer 307, renamed or transferred repositories 301 (308 to writes), before the rights are looked at
 * (contract R2).
 * @param addressUnder the address of what is asked, under other names
 * @param asked what there is under these names, where it was asked for already
 */
export async function resolveRepo(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
  addressUnder: (ownerName: string, repoName: string) => string,
  asked?: Promise<RepoOfPath>,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const { owner, repo, units } = await (asked ?? findRepoOfPath(ctx.db, ownerName, repoName))
  if (!owner) {
    const renamed = await findAccountByFormerName(ctx.db, ownerName.toLowerCase())
    if (!renamed) throw noRepo()
    // The current name of a hidden account leaks to nobody but those who may read the repository.
    if ((await sightOf(ctx, renamed)) === 'hidden') await resolveRepo(ctx, renamed.name, repoName, addressUnder)
    throw new Moved(307, addressUnder(renamed.name, repoName))
  }
  if (!repo) {
    const moved = await findRepoByFormerName(ctx.db, owner.id, repoName.toLowerCase())
    if (!moved) throw noRepo()
    throw new Moved(301, addressUnder(moved.owner_name, moved.repo_name))
  }
  return openRepo(ctx, owner, repo, units)
}

/**
 * The repository with its owner and the viewer's rights. Where the viewer may see nothing it is `NotFound`; where the
 * credential alone is what keeps them out, `Forbidden` (contract A2).
 * @param known its units, when they were just read
 */
export async function openRepo(
  ctx: Ctx,
  owner: UserRow,
  repo: RepoRow,
  known?: readonly RepoUnitRow[],
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const { units, rights } = await accessTo(ctx.db, ctx.viewer, owner, repo, known)
  if (rights.isWithheld) throw publicOnly('repos')
  if (!rights.any) throw noRepo()
  return { owner, repo, units, rights }
}
