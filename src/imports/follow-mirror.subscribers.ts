import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { followMirror } from './follow-mirror.service.ts'

/** After its references, what else a mirror follows of its original. */
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
