import type { ActionStatus } from '../../db/tables/actions.ts'

/** Results of the runner protocol, by their numbers; the first is that there is none yet. */
const results = ['unknown', 'success', 'failure', 'cancelled', 'skipped'] as const satisfies readonly ActionStatus[]

/** What a result of the protocol is here; undefined where there is none yet. */
export const statusOfResult = (result: number): ActionStatus | undefined => (result === 0 ? undefined : results[result])

/** The number of a status in the protocol; 0 for what has not ended. */
export const resultOfStatus = (status: ActionStatus): number =>
  Math.max(0, (results as readonly ActionStatus[]).indexOf(status))
