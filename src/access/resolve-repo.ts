import { Moved, NotFound } from '../lib/errors.ts'
import { findAccountByFormerName, findRepoByFormerName, findRepoOfPath, type RepoOfPath } from './access.store.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { sightOf } from './named-account.ts'
import { accessTo } from './repo-access.ts'
import { publicOnly } from './requirements.ts'

/** The error for a missing or invisible repository. */
export const noRepo = () => new NotFound('the repository does not exist', 'repo_not_found')

/**
 * Returns the repository of a path with the viewer's rights. Missing and invisible repositories are 404. A former
 * name of a visible account redirects with 307, a former name of a repository with 301 (308 for writes), before the
 * rights are checked (contract R2).
 * @param addressUnder returns the URL of the request under other names
 * @param ahead the rows of these names, if they were read
 */
export async function resolveRepo(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
  addressUnder: (ownerName: string, repoName: string) => string,
  ahead?: Promise<RepoOfPath>,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const { owner, repo, units } = await (ahead ?? findRepoOfPath(ctx.db, ownerName, repoName))
  if (!owner) {
    const renamed = await findAccountByFormerName(ctx.db, ownerName.toLowerCase())
    if (!renamed) throw noRepo()
    // The current name of a hidden account is shown only to accounts that may read the repository.
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
 * Returns a repository with its owner and the viewer's rights. Throws `NotFound` when it is invisible and
 * `Forbidden` when only the credential hides it (contract A2).
 * @param known its units, if the caller has read them
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
