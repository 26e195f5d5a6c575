import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { followMirror } from './follow-mirror.service.ts'

/** Updates the other items of a mirror after its references. */
export const followMirrors = subscriber({
  name: 'followMirrors',
  pool: 'mirrors',
  on: 'mirror.synced',
  attempts: 3,
  timeoutMs: 6 * 3_600_000,
  merge: ({ data }) => String(data.repoId),
  lane: ({ data }) => `mirror more ${data.repoId}`,
  afterCommit: (ctx: Ctx, { data }, { signal }) => followMirror(ctx, data.repoId, signal),
})
