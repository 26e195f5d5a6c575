import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { JobPrincipal } from './job.credentials.ts'
import type { RunningTask } from './job-token.store.ts'

/** The caller is a running job. */
export const byJob: Requirement<Ctx, { readonly task: RunningTask }> = {
  codes: ['job'],
  refuses: [401],
  check({ principal, refusedCredential }) {
    if (principal instanceof JobPrincipal) return { task: principal.task }
    throw refusedCredential ?? new Unauthenticated('the token of a running job is required', 'job_only')
  },
}
