import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import type { Tx } from '../../db/database.ts'
import type { NewTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { job } from '../../jobs/job.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import type { PullId } from '../../lib/ids.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import { findPullById } from '../pull.store.ts'
import { followLines } from './follow-lines.service.ts'

/** Finds the lines of a pull request's comments in its newest commits. */
export const followLinesJob = job({
  name: 'followLines',
  pool: 'git',
  input: Type.Object({ pullId: Type.Unsafe<PullId>({ type: 'integer' }) }),
  merge: ({ pullId }) => String(pullId),
  run: (services: Services, { pullId }) => followLines(services, pullId),
})

/** Enqueues the job when new comments are about earlier commits: chosen by the author, or replaced by a push meanwhile. */
export async function followNewLines(tx: Tx, pullId: PullId, entries: readonly NewTimelineEntry[]): Promise<void> {
  if (entries.length === 0) return
  const pull = await findPullById(tx, pullId)
  const isBehind = ({ line = 0, line_oid: oid = '' }: NewTimelineEntry) =>
    oid !== '' && line !== 0 && oid !== (line < 0 ? pull && mergeBaseOf(pull) : pull?.synced_oid)
  if (entries.some(isBehind)) await enqueueAll(tx, [planned(followLinesJob, { pullId })])
}
