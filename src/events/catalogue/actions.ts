import { Type } from 'typebox'
import type { RepoId, RunId, TaskId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id } from './ids.ts'

const run = { repoId: id<RepoId>(), runId: id<RunId>(), doerId: id<UserId>() }

/** Workflow runs. `doerId` caused or cancelled the run. */
export const actionEvents = {
  /** Jobs of the run wait for a runner; polling runners look again. */
  'run.queued': fact(run),
  /** Jobs that stand for others can be planned: what they need has ended. */
  'run.plannable': fact(run),
  /** The run has a result; jobs of a failed run may still be running. */
  'run.finished': fact({ ...run, status: Type.String(), priorStatus: Type.Optional(Type.String()) }),
  /** The row was deleted; the data name its blobs. */
  'run.deleted': fact({ ...run, blobKeys: Type.Array(Type.String()) }),
  /** A task ended; its log is completed. */
  'task.finished': fact({ ...run, taskId: id<TaskId>() }),
}
