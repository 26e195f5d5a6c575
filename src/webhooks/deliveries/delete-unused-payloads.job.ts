import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import { job, type Job } from '../../jobs/job.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import type { PayloadId } from '../../lib/ids.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { deleteUnusedPayloads, listPayloads } from './delivery.store.ts'

/** Payloads handled in one transaction: on SQLite all writers wait for it. */
const stepSize = 500

/** Deletes the payloads to which no delivery refers: they hold texts of private repositories. */
export async function deleteUnused(db: Db, signal: AbortSignal): Promise<void> {
  for await (const payloads of inBatches((after?: PayloadId) => listPayloads(db, after, stepSize))) {
    signal.throwIfAborted()
    const unused = payloads.filter((payload) => !payload.is_used).map((payload) => payload.id)
    if (unused.length > 0) await transaction(db, (tx) => deleteUnusedPayloads(tx, unused))
  }
}

export const deleteUnusedPayloadsJob: Job<Services, object> = job({
  name: 'deleteUnusedPayloads',
  pool: 'tasks',
  input: Type.Object({}),
  merge: () => 'all',
  run: ({ db }: Services, _input, { signal }) => deleteUnused(db, signal),
})

/** Deletions of several webhooks within this time share one job. */
const delayMs = 10_000

/** Enqueues the deletion of payloads whose webhooks this transaction deletes. */
export const deletePayloadsLater = (tx: Tx): Promise<void> =>
  enqueueAll(tx, [planned(deleteUnusedPayloadsJob, {}, { delayMs })])
