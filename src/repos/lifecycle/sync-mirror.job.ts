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

/** Brings one mirror up to date. */
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

/** Has a mirror brought up to date soon; one that waits already is not doubled. */
export const requestSync = (services: Services, repoId: RepoId): Promise<unknown> =>
  transaction(services.db, (tx) => enqueue(tx, syncMirrorJob, { repoId }))

/** Most mirrors of one run when the settings name no limit. */
const maxPerRun = 10_000

/** Has the mirrors that are due brought up to date, the longest waiting first. */
export const updateMirrors = (config: Config) =>
  configuredTask('update_mirrors', config.cronUpdateMirrors, async (services) => {
    if (!services.config.mirror.enabled) return
    const { pullLimit } = services.config.cronUpdateMirrors
    const due = await listDueMirrors(services.db, nowUnix(services.clock), pullLimit > 0 ? pullLimit : maxPerRun)
    if (due.length === 0) return
    await transaction(services.db, (tx) =>
      enqueueAll(
        tx,
        due.map((repoId) => planned(syncMirrorJob, { repoId })),
      ),
    )
  })
