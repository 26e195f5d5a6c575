import type { SignedInCtx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { must } from '../../lib/verdict.ts'
import { mayEditGitHooks } from './git-hook.policy.ts'

/** `gitHookEditor`: instance administrators and accounts with the permission, unless the settings disable git hooks. */
export const gitHookEditor: Requirement<SignedInCtx, object> = {
  codes: ['gitHookEditor'],
  refuses: [403],
  check({ viewer, config }) {
    must(mayEditGitHooks(viewer, config))
    return {}
  },
}
