import type { Ctx, RepoCtx } from '../access/context.ts'
import { resolveRepo } from '../access/resolve-repo.ts'
import { checkTransfer } from '../access/transfer.ts'
import { Moved, NotFound, Unauthenticated } from '../lib/errors.ts'
import { LfsTicket, type LfsOperation } from './tickets/ticket.ts'

const signInNeeded = (): Unauthenticated => new Unauthenticated('a sign-in that may do this is needed')

/** Returns the repository name in a git address, without `.git`. Wikis have no LFS objects. */
const repoNameIn = (last: string): string => last.replace(/\.git$/i, '')

/**
 * Resolves a repository for LFS. Guests may read public ones. A caller without the required access is asked to sign in,
 * signed in or not (observed), and so is a request for an unknown repository unless it would be the caller's own, so
 * nobody learns which private repositories exist.
 *
 * Throws `Unauthenticated`, `NotFound`, `Forbidden` (archived, mirror, scopes, disabled owner) and `Moved` (307).
 */
export async function openForLfs(
  ctx: Ctx,
  ownerName: string,
  repoName: string,
  operation: LfsOperation,
  addressUnder: (ownerName: string, repoName: string) => string,
): Promise<Omit<RepoCtx, keyof Ctx>> {
  const { viewer, principal } = ctx
  const isUpload = operation === 'upload'
  if (!viewer && (isUpload || ctx.config.service.requireSigninView)) throw signInNeeded()
  const found = await resolveRepo(ctx, ownerName, repoNameIn(repoName), addressUnder).catch((error: unknown) => {
    // Only this redirect preserves method and body.
    if (error instanceof Moved) throw new Moved(307, error.location)
    const isOwn = viewer?.isAdmin || viewer?.user.lower_name === ownerName.toLowerCase()
    throw error instanceof NotFound && !isOwn ? signInNeeded() : error
  })
  const { repo, rights } = found
  if (rights.modeOf('code') === 0 || (isUpload && !rights.canWrite('code'))) throw signInNeeded()
  if (
    principal instanceof LfsTicket &&
    (principal.repoId !== repo.id || (isUpload && principal.operation !== operation))
  ) {
    throw signInNeeded()
  }
  checkTransfer(ctx, found, isUpload)
  return found
}
