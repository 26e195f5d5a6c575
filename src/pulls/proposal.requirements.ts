import type { RepoCtx } from '../access/context.ts'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import type { Requirement } from '../http/operation.ts'
import { Forbidden } from '../lib/errors.ts'
import { mayPropose } from './proposal.policy.ts'

/** RW(code), or the caller may propose changes from a fork. */
export const writesOrProposes: Requirement<RepoCtx, object> = {
  codes: ['writesOrProposes'],
  refuses: [403],
  check(ctx) {
    if (ctx.rights.canWrite('code')) return {}
    const verdict = mayPropose(ctx)
    // Guests sign in, and archived repositories are refused by requirements of their own.
    if (verdict.allowed || verdict.code === 'signed_out' || verdict.code === 'archived') return {}
    throw new Forbidden(verdict.reason, verdict.code)
  },
}

/**
 * The owner of the repository is within quota, when the commit is made there. A proposal is charged to the caller, whose
 * quota its service looks at.
 */
export const commitUnderQuota: Requirement<RepoCtx, object> = {
  codes: ['quota:size:repos:all@repo'],
  refuses: [413],
  async check(ctx) {
    if (ctx.rights.canWrite('code')) await refuseOverQuota(ctx, ctx.owner, 'size:repos:all')
    return {}
  },
}
