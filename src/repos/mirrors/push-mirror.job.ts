import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { job } from '../../jobs/job.ts'
import type { PushMirrorId } from '../../lib/ids.ts'
import { syncPushMirror } from './push-mirror.service.ts'

/** Sends a repository on to one that follows it; changes that come while one waits are sent together. */
export const pushMirrorJob = job({
  name: 'pushMirror',
  pool: 'mirrors',
  input: Type.Object({ mirrorId: Type.Unsafe<PushMirrorId>(Type.Integer()) }),
  attempts: 3,
  timeoutMs: 3_600_000,
  merge: ({ mirrorId }) => String(mirrorId),
  lane: ({ mirrorId }) => `push mirror ${mirrorId}`,
  run: (services: Services, { mirrorId }, { signal }) => syncPushMirror(services, mirrorId, signal),
})
