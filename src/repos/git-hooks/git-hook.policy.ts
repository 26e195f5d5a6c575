import type { Viewer } from '../../auth/viewer.ts'
import type { Config } from '../../config/load-config.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** Administrators of the instance and accounts with the permission change the scripts that git runs on the server. */
export function mayEditGitHooks(viewer: Viewer, { security }: Config): Verdict {
  const isAllowed = !security.disableGitHooks && (viewer.isAdmin || viewer.user.allow_git_hook)
  return isAllowed ? allow : deny('git_hooks_forbidden', 'you may not edit scripts of repositories')
}
