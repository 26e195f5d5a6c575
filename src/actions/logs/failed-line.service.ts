import type { RepoCtx } from '../../access/context.ts'
import { findJobAt, findRunByNumber } from '../runs/run.store.ts'
import { attemptsAt } from './attempt.service.ts'

/**
 * Returns the line of the step of a job that failed first, from 1: its last error, or else its last line. Undefined when none
 * failed, the log has expired or has no lines of steps, and for a job that does not exist.
 * @param number of the run
 */
export async function failedLineOf(ctx: RepoCtx, number: number, position: number): Promise<number | undefined> {
  if (!ctx.rights.canRead('actions')) return undefined
  const run = await findRunByNumber(ctx.db, ctx.repo.id, number)
  const job = run && (await findJobAt(ctx.db, run.id, position))
  const attempt = job && (await attemptsAt(ctx, [job])).get(job.id)
  if (!attempt || attempt.task.log_state === 'expired') return undefined
  const failed = attempt.steps.find(({ status }) => status === 'failure')
  if (failed === undefined) return undefined
  const end = Math.min(failed.log_index + failed.log_length, attempt.task.log_lines)
  const line = (attempt.errorLines.get(failed.position) ?? end - 1) + 1
  return line === 0 ? undefined : line
}
