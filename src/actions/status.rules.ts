import type { ActionStatus } from '../db/tables/actions.ts'

/** The statuses of jobs and runs that have ended. */
const finalStatuses = ['success', 'failure', 'cancelled', 'skipped'] as const satisfies readonly ActionStatus[]

const allStatuses: readonly string[] = [...finalStatuses, 'waiting', 'running', 'blocked', 'unknown']

/** The status of a run is the first of these that one of its jobs has. */
const precedence = ['cancelled', 'failure', 'running', 'waiting', 'blocked'] as const

export const isFinal = (status: ActionStatus): boolean => (finalStatuses as readonly ActionStatus[]).includes(status)

export const isStatus = (text: string): text is ActionStatus => allStatuses.includes(text)

/**
 * Returns the status of a run from the statuses of its jobs (contract, actions: run status). A run is failed or cancelled
 * while other jobs still run.
 */
export function statusOfRun(jobs: readonly ActionStatus[]): ActionStatus {
  if (jobs.length === 0) return 'unknown'
  if (jobs.every((status) => status === 'skipped')) return 'skipped'
  if (jobs.every((status) => status === 'success' || status === 'skipped')) return 'success'
  return precedence.find((status) => jobs.includes(status)) ?? 'unknown'
}

/** Returns the common status of the jobs of a matrix, for jobs that need them. */
export function statusOfKey(jobs: readonly ActionStatus[]): ActionStatus {
  if (!jobs.every(isFinal)) return 'running'
  if (jobs.includes('failure')) return 'failure'
  if (jobs.includes('cancelled')) return 'cancelled'
  return jobs.every((status) => status === 'skipped') ? 'skipped' : 'success'
}

/** The properties of a job that decide when it may start. */
export interface JobDependencies {
  readonly key: string
  readonly needs: readonly string[]
  readonly status: ActionStatus
  /** Whether it has an `if`, which its runner evaluates. */
  readonly hasCondition: boolean
  /** Whether it is the call of a workflow, which has the status of the jobs of that workflow. */
  readonly isCall?: boolean
}

/**
 * Returns the new statuses of blocked jobs whose needed jobs have ended. A job becomes waiting when all needed jobs
 * succeeded, or when it has a condition. Otherwise it is skipped, which may resolve further jobs.
 * @param mayStart whether jobs of the run may start; otherwise no job changes
 * @returns the changed statuses by index in `jobs`
 */
export function resolveBlocked(jobs: readonly JobDependencies[], mayStart: boolean): ReadonlyMap<number, ActionStatus> {
  const changed = new Map<number, ActionStatus>()
  if (!mayStart) return changed
  const statusOf = (index: number): ActionStatus => changed.get(index) ?? (jobs[index] as JobDependencies).status
  const indexesByKey = Map.groupBy(jobs.keys(), (index) => (jobs[index] as JobDependencies).key)
  for (let isSettled = false; !isSettled;) {
    isSettled = true
    for (const [index, job] of jobs.entries()) {
      if (statusOf(index) !== 'blocked') continue
      const needed = job.needs.map((key) => statusOfKey((indexesByKey.get(key) ?? []).map(statusOf)))
      if (!needed.every(isFinal)) continue
      const runs = job.hasCondition || needed.every((status) => status === 'success')
      changed.set(index, job.isCall ? statusOfKey(needed) : runs ? 'waiting' : 'skipped')
      isSettled = false
    }
  }
  return changed
}
