import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { actionsUserId } from '../../lib/ids.ts'
import { worstOf } from './commit-status.rules.ts'

/** The description of the status of a cancelled job. Its state is a failure: the contract has none of its own for it. */
export const cancelledDescription = 'Has been cancelled'

/** Returns the state that pages show: a workflow job that was cancelled has not failed. */
export const shownState = ({
  state,
  creator_id,
  description,
}: Pick<CommitStatusRow, 'state' | 'creator_id' | 'description'>): string =>
  creator_id === actionsUserId && description === cancelledDescription ? 'cancelled' : state

/** Returns the worst of the states that pages show; empty without states. */
export const combinedShownState = (states: readonly string[]): string =>
  worstOf(['error', 'failure', 'warning', 'pending', 'cancelled', 'success'], states)
