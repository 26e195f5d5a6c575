import type { ActionStatus } from '../db/tables/actions.ts'

/** Statuses that nothing comes after. */
const finalStatuses = ['success', 'failure', 'cancelled', 'skipped'] as const satisfies readonly ActionStatus[]

const allStatuses: readonly string[] = [...finalStatuses, 'waiting', 'running', 'blocked', 'unknown']

/** Of the rest of the statuses, the first that some job has. */
const inOrder = ['cancelled', 'failure', 'running', 'waiting', 'blocked'] as const

export const isFinal = (status: ActionStatus): boolean => (finalStatuses as readonly ActionStatus[]).includes(status)

/** Whether a text is the name of a status. */
export const isStatus = (text: string): text is ActionStatus => allStatuses.includes(text)

/**
 * What jobs make of their run: the first of these that fits (contract, actions: run status). So a run has failed, or is
 * cancelled, while other jobs of it still run.
 */
export function statusOfRun(jobs: readonly ActionStatus[]): ActionStatus {
  if (jobs.length === 0) return 'unknown'
  const some = (status: ActionStatus): boolean => jobs.includes(status)
  if (jobs.every((status) => status === 'skipped')) return 'skipped'
  if (jobs.every((status) => status === 'success' || status === 'skipped')) return 'success'
  return inOrder.find(some) ?? 'unknown'
}

/** What several jobs of one key come to, for those that need them: the combinations of a matrix. */
export function statusOfKey(jobs: readonly ActionStatus[]): ActionStatus {
  if (!jobs.every(isFinal)) return 'running'
  if (jobs.includes('failure')) return 'failure'
  if (jobs.includes('cancelled')) return 'cancelled'
  return jobs.every((status) => status === 'skipped') ? 'skipped' : 'success'
}

/** A job as those look at it that wait for it. */
export interface JobOnTheWay {
  readonly key: string
  readonly needs: readonly string[]
  readonly status: ActionStatus
  /** Whether it has an `if`, which its runner looks at. */
  readonly hasCondition: boolean
  /** Whether it only stands for those that it needs, and comes to what they come to. */
  readonly isCall?: boolean
}

/**
 * What blocked jobs become once all that they need has ended: they wait for a runner when it all succeeded, or when they
 * have a condition of their own; else they are skipped, which may end what others wait for in turn.
 * @param isApproved no job of a run that waits for an approval begins
 * @returns the jobs that change, by their place in `jobs`
 */
export function resolveBlocked(jobs: readonly JobOnTheWay[], isApproved: boolean): ReadonlyMap<number, ActionStatus> {
  const changed = new Map<number, ActionStatus>()
  if (!isApproved) return changed
  const statusOf = (index: number): ActionStatus => changed.get(index) ?? (jobs[index] as JobOnTheWay).status
  const placesOf = Map.groupBy(jobs.keys(), (index) => (jobs[index] as JobOnTheWay).key)
  for (let isSettled = false; !isSettled;) {
    isSettled = true
    for (const [index, job] of jobs.entries()) {
      if (statusOf(index) !== 'blocked') continue
      const needed = job.needs.map((key) => statusOfKey((placesOf.get(key) ?? []).map(statusOf)))
      if (!needed.every(isFinal)) continue
      const isWanted = job.hasCondition || needed.every((status) => status === 'success')
      changed.set(index, job.isCall ? statusOfKey(needed) : isWanted ? 'waiting' : 'skipped')
      isSettled = false
    }
  }
  return changed
}
