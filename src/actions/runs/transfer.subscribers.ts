import type { Services } from '../../access/context.ts'
import { publish } from '../../events/hub.ts'
import { subscriber } from '../../events/subscriber.ts'
import { nowUnix } from '../../lib/time.ts'
import { changeRuns, endJobs } from './run-change.service.ts'
import { listRunningTasksOfRepo, listStoppedJobs, stopTasks } from './run.store.ts'

/**
 * Stops the running tasks of a transferred repository in the transaction of the transfer. A task began with the secrets and
 * on a runner of the former owner, and its token would act on the repository of the new one.
 */
export const stopTasksOfFormerOwner = subscriber({
  name: 'stopTasksOfFormerOwner',
  on: 'repo.transferred',
  async inTransaction(tx, { data: { repoId, doerId } }, { clock }) {
    const running = await listRunningTasksOfRepo(tx, repoId)
    const runs = new Map(running.map(({ id, run_id: runId }) => [id, runId]))
    const stopped = await stopTasks(tx, [...runs.keys()], 'cancelled', nowUnix(clock))
    for (const taskId of stopped) {
      const runId = runs.get(taskId)
      if (runId !== undefined) await publish(tx, 'task.finished', { repoId, runId, taskId, doerId })
    }
  },
})

/** Cancels the jobs of the tasks that a transfer stopped, and updates their runs. */
export const cancelStoppedJobs = subscriber({
  name: 'cancelStoppedJobs',
  on: 'repo.transferred',
  async afterCommit({ db }: Services, { data: { repoId, doerId } }) {
    const jobs = await listStoppedJobs(db, repoId)
    for (const [runId, ofRun] of Map.groupBy(jobs, ({ run_id }) => run_id)) {
      const ids = new Set(ofRun.map(({ id }) => id))
      await changeRuns(db, (tx) => endJobs(tx, runId, 'cancelled', ({ id }) => ids.has(id), doerId))
    }
  },
})
