import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { job } from '../../jobs/job.ts'
import type { PushMirrorId } from '../../lib/ids.ts'
import { syncPushMirror } from './push-mirror.service.ts'

/** Pushes a repository to a push mirror. Changes that arrive while a job waits share it. */
export const pushMirrorJob = job({
  name: 'pushMirror',
  pool: 'mirrors',
  input: Type.Object({ mirrorId: Type.Unsafe<PushMirrorId>(Type.Integer()) }),
  attempts: 3,
  timeoutMs: 3_600_000,
  merge: ({ mirrorId }) => String(mirrorId),
  lane: ({ mirrorId }) => `push mirror ${mirrorId}`,
  run: async (services: Services, { mirrorId }, { signal }) => {
    await syncPushMirror(services, mirrorId, signal)
  },
})
