import type { ActionStatus } from '../../db/tables/actions.ts'

/** The results of the runner protocol by number. 0 means that the task or step has not ended. */
const results = ['unknown', 'success', 'failure', 'cancelled', 'skipped'] as const satisfies readonly ActionStatus[]

/** Returns the status of a protocol result; undefined for 0. */
export const statusOfResult = (result: number): ActionStatus | undefined => (result === 0 ? undefined : results[result])

/** Returns the protocol result of a status; 0 for an open one. */
export const resultOfStatus = (status: ActionStatus): number =>
  Math.max(0, (results as readonly ActionStatus[]).indexOf(status))
