import { subscriber } from '../../events/subscriber.ts'
import { findHome } from './run-repo.store.ts'
import { offerJobs } from './run-change.service.ts'
import { findWaitingRun } from './run.store.ts'

/**
 * Jobs that wait come before other runners when their repository changes hands, or when its unit is switched on again: those look
 * now, and not when something else happens.
 */
export const offerJobsAnew = subscriber({
  name: 'offerJobsAnew',
  on: ['repo.transferred', 'repo.updated'],
  async inTransaction(tx, { name, data }) {
    if (name === 'repo.updated' && !data.oldUnits?.some(({ unit }) => unit === 'actions')) return
    const run = await findWaitingRun(tx, data.repoId)
    const home = run && (await findHome(tx, data.repoId))
    if (home) await offerJobs(tx, run, home.ownerId)
  },
})
