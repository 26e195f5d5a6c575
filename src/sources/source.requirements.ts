import type { SignedInCtx } from '../access/context.ts'
import { mayIssuePassword } from '../auth/issue.policy.ts'
import type { Requirement } from '../http/operation.ts'
import { must } from '../lib/verdict.ts'

/** A source controls who signs in, so a token needs the rights to set administrators' passwords. */
export const mayTrustOthers: Requirement<SignedInCtx, object> = {
  codes: ['issues:password'],
  refuses: [403],
  check({ viewer }) {
    must(mayIssuePassword(viewer.credential, { isAdmin: true, isStrict: true }))
    return {}
  },
}
