import { mayHere } from '../access/may-here.ts'
import type { RepoCtx } from '../access/context.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Allows changing files in a fork and proposing them by a pull request, for people who may only read. Writers change files
 * here.
 */
export function mayPropose(ctx: Pick<RepoCtx, 'viewer' | 'rights' | 'repo' | 'config'>): Verdict {
  const { rights, repo, config } = ctx
  const { change, push } = mayHere(ctx)
  if (!change.allowed) return change
  const pushing = push('code')
  if (repo.is_mirror) return pushing
  const none = deny('unit_unwritable', 'you may not write code')
  if (pushing.allowed || !rights.canRead('code') || rights.modeOf('pulls') === 0) return none
  if (repo.is_empty) return deny('repo_empty', 'the repository is empty')
  if (config.repository.disableForks) return deny('forks_disabled', 'forks are disabled on this instance')
  return allow
}
