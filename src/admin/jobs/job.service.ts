import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { countJobsOf, listJobs, removeFailedJob, retryFailedJob, type JobRow } from '../../jobs/queue.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import type { JobId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'

/** Returns a page of the jobs in a state, or of all, newest first, and their total. */
export async function getJobs(
  ctx: Ctx,
  state: JobRow['state'] | undefined,
  page: Page,
): Promise<{ rows: JobRow[]; total: number }> {
  const [rows, total] = await rowsAndTotal(
    page,
    listJobs(ctx.db, { state, offset: page.offset, limit: page.limit }),
    countJobsOf(ctx.db, state),
  )
  return { rows, total }
}

/** Retries a failed job. Throws `NotFound` when it does not exist, `Conflict` when it has not failed. */
export async function retryJob(ctx: Ctx, id: number): Promise<void> {
  settleOutcome(await transaction(ctx.db, (tx) => retryFailedJob(tx, id as JobId)))
}

/** Deletes a failed job. Throws `NotFound` when it does not exist, `Conflict` when it has not failed. */
export async function removeJob(ctx: Ctx, id: number): Promise<void> {
  settleOutcome(await transaction(ctx.db, (tx) => removeFailedJob(tx, id as JobId)))
}

function settleOutcome(outcome: 'done' | 'missing' | 'not failed'): void {
  if (outcome === 'missing') throw new NotFound('the job does not exist', 'job_not_found')
  if (outcome === 'not failed') throw new Conflict('the job has not failed', 'job_not_failed')
}
