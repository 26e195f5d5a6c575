import { createHash } from 'node:crypto'
import type { RepoCtx } from '../../access/context.ts'
import { lengthsOfLogs, type RunWithJobs } from '../../actions/runs/run-list.service.ts'
import { isFinal } from '../../actions/status.rules.ts'

/** What a reader of the pages of a run sees change. */
export interface RunState {
  /** Differs when anything differs. */
  readonly mark: string
  /** Whether anything can still change. */
  readonly isOpen: boolean
}

export async function runStateOf(ctx: RepoCtx, { run, jobs }: RunWithJobs): Promise<RunState> {
  const lengths = await lengthsOfLogs(ctx, jobs)
  const shown = jobs.map((job) => [job.status, job.attempt, lengths.get(job.id) ?? 0])
  const state = JSON.stringify([run.status, run.is_held, shown])
  return {
    mark: createHash('sha256').update(state).digest('base64url').slice(0, 22),
    isOpen: jobs.some((job) => !isFinal(job.status)),
  }
}
