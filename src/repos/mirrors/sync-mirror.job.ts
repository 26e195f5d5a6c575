import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import { job } from '../../jobs/job.ts'
import { enqueue, enqueueAll, planned } from '../../jobs/queue.ts'
import type { RepoId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { syncMirror } from './mirror.service.ts'
import { listDueMirrors } from './mirror.store.ts'
import { pushMirrorJob } from './push-mirror.job.ts'
import { listDuePushMirrors } from './push-mirror.store.ts'

/** Updates one mirror. */
export const syncMirrorJob = job({
  name: 'syncMirror',
  pool: 'mirrors',
  input: Type.Object({ repoId: Type.Unsafe<RepoId>(Type.Integer()) }),
  attempts: 3,
  timeoutMs: 3_600_000,
  merge: ({ repoId }) => String(repoId),
  lane: ({ repoId }) => `mirror ${repoId}`,
  run: (services: Services, { repoId }, { signal }) => syncMirror(services, repoId, signal),
})

/** Enqueues the update of a mirror, unless one waits. */
export const requestSync = (services: Services, repoId: RepoId): Promise<unknown> =>
  transaction(services.db, (tx) => enqueue(tx, syncMirrorJob, { repoId }))

/** Largest number of mirrors of one run without a configured limit. */
const maxPerRun = 10_000

/** Enqueues the updates of due mirrors in both directions, the longest waiting first. */
export const updateMirrors = (config: Config) =>
  configuredTask('update_mirrors', config.cronUpdateMirrors, async (services) => {
    if (!services.config.mirror.enabled) return
    const { pullLimit, pushLimit } = services.config.cronUpdateMirrors
    const now = nowUnix(services.clock)
    const [pulls, pushes] = await Promise.all([
      listDueMirrors(services.db, now, pullLimit || maxPerRun),
      listDuePushMirrors(services.db, now, pushLimit || maxPerRun),
    ])
    const jobs = [
      ...pulls.map((repoId) => planned(syncMirrorJob, { repoId })),
      ...pushes.map((mirrorId) => planned(pushMirrorJob, { mirrorId })),
    ]
    if (jobs.length > 0) await transaction(services.db, (tx) => enqueueAll(tx, jobs))
  })
