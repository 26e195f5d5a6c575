import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { findRunRepo } from './run-repo.store.ts'
import { planDeferredJobs } from './plan-deferred.service.ts'
import { offerJobs } from './run-change.service.ts'
import { findWaitingRun } from './run.store.ts'

/** Plans the deferred jobs of a run when the jobs that they need have ended. */
export const planPlannableJobs = subscriber({
  name: 'planPlannableJobs',
  on: 'run.plannable',
  lane: ({ data }) => `plan ${data.runId}`,
  afterCommit: (services: Services, { data }) => planDeferredJobs(services, data.repoId, data.runId),
})

/** Offers waiting jobs to runners again when other runners can take them: after a transfer, or when the unit is enabled. */
export const offerJobsAnew = subscriber({
  name: 'offerJobsAnew',
  on: ['repo.transferred', 'repo.updated'],
  async inTransaction(tx, { name, data }) {
    if (name === 'repo.updated' && !data.oldUnits?.some(({ unit }) => unit === 'actions')) return
    const run = await findWaitingRun(tx, data.repoId)
    const repo = run && (await findRunRepo(tx, data.repoId))
    if (repo) await offerJobs(tx, run, repo.ownerId)
  },
})
