import type { Ctx, RepoCtx } from '../access/context.ts'
import { checkScopes } from '../access/requirements.ts'
import { resolveRepo } from '../access/resolve-repo.ts'
import { Forbidden, Moved, NotFound, Unauthenticated } from '../lib/errors.ts'
import { LfsTicket, type LfsOperation } from './tickets/ticket.ts'

const signInNeeded = (): Unauthenticated => new Unauthenticated('a sign-in that may do this is needed')

/** The name of a repository in an address of git, which may end with `.git`. Wikis have no objects. */
const repoNameIn = (last: string): string => last.replace(/\.git$/i, '')

/**
 * Opens a repository for LFS, whatever door it came by. Reading what is public asks nobody; everybody else who may not do
 * what they want is asked to sign in, signed in or not (observed), and so is who asks for a repository that is not there,
 * except where it would be their own: nobody learns which private repositories there are.
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
    // The one redirect that keeps method and body of whatever is asked.
    if (error instanceof Moved) throw new Moved(307, error.location)
    const isOwn = viewer?.isAdmin || viewer?.user.lower_name === ownerName.toLowerCase()
    throw error instanceof NotFound && !isOwn ? signInNeeded() : error
  })
  const { repo, owner, rights } = found
  if (rights.modeOf('code') === 0 || (isUpload && !rights.canWrite('code'))) throw signInNeeded()
  if (
    principal instanceof LfsTicket &&
    (principal.repoId !== repo.id || (isUpload && principal.operation !== operation))
  ) {
    throw signInNeeded()
  }
  const isDisabled = owner.kind === 'individual' && (owner.prohibit_login || !owner.is_active)
  if (isDisabled) throw new Forbidden('the owner of the repository is disabled')
  const isOpen = !repo.is_private && owner.visibility === 'public'
  if (!isOpen || isUpload) checkScopes(viewer, ['repository'], isUpload ? 'POST' : 'GET')
  if (isUpload && repo.is_archived) throw new Forbidden('the repository is archived')
  if (isUpload && repo.is_mirror) throw new Forbidden('the repository is a mirror')
  return found
}
