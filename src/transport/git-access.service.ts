import type { Ctx, RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { resolveRepo } from '../access/resolve-repo.ts'
import { checkTransfer } from '../access/transfer.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { GitKey } from '../lib/ids.ts'
import type { GitAddress } from './git-address.ts'
import { createByPush } from './push-create.service.ts'
import { getOrCreateWiki } from '../wiki/wiki-repository.service.ts'
import { Forbidden, Moved, NotFound, Unauthenticated } from '../lib/errors.ts'

/** The git service that a client asks for. */
export type GitService = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

/** The context of an opened git repository. */
export interface GitCtx extends RepoCtx {
  readonly gitKey: GitKey
  readonly unit: 'code' | 'wiki'
}

export type GitPushCtx = GitCtx & SignedInRepoCtx

/**
 * Opens a repository for git over HTTP or SSH. Guests may read public repositories; otherwise they must sign in,
 * whether the repository exists or not. A signed-in caller without read access gets "not found" (contract A2,
 * observed). Single references are checked later.
 *
 * @throws Unauthenticated when guests must sign in
 * @throws NotFound
 * @throws Forbidden for archived repositories, mirrors, missing scopes and disabled owners
 * @throws Moved with the location `/owner/name` for renamed repositories
 */
export async function openForGit(ctx: Ctx, address: GitAddress, service: GitService): Promise<Omit<GitCtx, keyof Ctx>> {
  const { unit } = address
  const pushing = service === 'git-receive-pack'
  if (!ctx.viewer && (pushing || ctx.config.service.requireSigninView)) throw signInNeeded()
  const found = await find(ctx, address, pushing)
  const { repo, rights } = found
  if (!ctx.viewer && rights.modeOf(unit) === 0) throw signInNeeded()
  // Administrators may read each unit, but not a disabled one.
  if (!rights.canRead(unit) || (unit === 'wiki' && !rights.has(unit))) throw missing()
  checkTransfer(ctx, found, pushing)
  if (pushing && unit === 'wiki' && !rights.canWrite(unit)) {
    throw new Forbidden('you may not write the wiki', 'unit_unwritable')
  }
  return { ...found, gitKey: await gitKeyOf(ctx, repo, unit, pushing), unit }
}

/** The first push to a wiki creates it, as the first page does. */
async function gitKeyOf(ctx: Ctx, repo: RepoRow, unit: GitCtx['unit'], pushing: boolean): Promise<GitKey> {
  if (unit === 'code') return repo.git_key
  if (pushing) return getOrCreateWiki(ctx, repo)
  if (repo.wiki_git_key === null) throw new NotFound('the wiki has no pages yet: not found')
  return repo.wiki_git_key
}

async function find(
  ctx: Ctx,
  address: GitAddress,
  pushing: boolean,
  mayCreate = true,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const pathOf = (owner: string, name: string) => `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  try {
    return await resolveRepo(ctx, address.owner, address.name, pathOf)
  } catch (error) {
    if (error instanceof Moved) throw new Moved(301, error.location)
    if (!(error instanceof NotFound)) throw error
    if (!ctx.viewer) throw signInNeeded()
    if (pushing && mayCreate && (await createByPush(ctx, address))) return find(ctx, address, pushing, false)
    if (pushing) throw new Forbidden('the repository does not exist; create it before you push', 'repo_not_found')
    throw missing()
  }
}

export const signInNeeded = (): Unauthenticated => new Unauthenticated('sign in to access the repository')

// Clients look for the words "not found".
const missing = (): NotFound => new NotFound('the repository does not exist: not found')
