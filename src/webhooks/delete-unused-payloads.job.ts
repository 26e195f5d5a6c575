import { Type } from 'typebox'
import type { Services } from '../access/context.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import { job, type Job } from '../jobs/job.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import type { PayloadId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'
import { deleteUnusedPayloads, listPayloads } from './delivery.store.ts'

/** Payloads that are looked at in one step: each step is a transaction that others wait for on SQLite. */
const stepSize = 500

/** Deletes what was told in deliveries that are gone: payloads have texts of private repositories. */
export async function sweepPayloads(db: Db, signal: AbortSignal): Promise<void> {
  for await (const payloads of inBatches((after?: PayloadId) => listPayloads(db, after, stepSize))) {
    signal.throwIfAborted()
    const unused = payloads.filter((payload) => !payload.is_used).map((payload) => payload.id)
    if (unused.length > 0) await transaction(db, (tx) => deleteUnusedPayloads(tx, unused))
  }
}

/** What webhooks were told that are gone themselves: with their repository, their account, or alone. */
export const deleteUnusedPayloadsJob: Job<Services, object> = job({
  name: 'deleteUnusedPayloads',
  pool: 'tasks',
  input: Type.Object({}),
  merge: () => 'all',
  run: ({ db }: Services, _input, { signal }) => sweepPayloads(db, signal),
})

/** Many webhooks that go one after the other have one look. */
const delayMs = 10_000

/** Has the payloads of webhooks deleted that go in this transaction. */
export const forgetPayloads = (tx: Tx): Promise<void> =>
  enqueueAll(tx, [planned(deleteUnusedPayloadsJob, {}, { delayMs })])
