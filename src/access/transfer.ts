import { Forbidden } from '../lib/errors.ts'
import type { Ctx, RepoCtx } from './context.ts'
import { checkScopes } from './requirements.ts'

/**
 * Checks what git and LFS have alike, after the rights.
 * @throws Forbidden for a disabled owner, a missing scope, and writes to an archive or a mirror
 */
export function checkTransfer(
  { viewer }: Ctx,
  { repo, owner }: Pick<RepoCtx, 'repo' | 'owner'>,
  isWrite: boolean,
): void {
  // Organizations never sign in.
  const isDisabled = owner.kind === 'individual' && (owner.prohibit_login || !owner.is_active)
  if (isDisabled) throw new Forbidden('the account of the owner is disabled', 'owner_disabled')
  const isOpen = !repo.is_private && owner.visibility === 'public'
  if (!isOpen || isWrite) checkScopes(viewer, ['repository'], isWrite ? 'POST' : 'GET')
  if (!isWrite) return
  if (repo.is_archived) throw new Forbidden('the repository is archived', 'archived')
  if (repo.is_mirror) throw new Forbidden('the repository is a mirror; push to its source instead', 'mirror')
}
