import { Type } from 'typebox'
import type { RepoId, RunId, TaskId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id } from './ids.ts'

const run = { repoId: id<RepoId>(), runId: id<RunId>(), doerId: id<UserId>() }

/** Runs of workflows. `doerId` is who caused the run, or who ended it. */
export const actionEvents = {
  /** Jobs of it wait for a runner now: those who look for work look again. */
  'run.queued': fact(run),
  /** It has ended, as far as can be told: jobs of one that has failed may still run. */
  'run.finished': fact({ ...run, status: Type.String(), priorStatus: Type.Optional(Type.String()) }),
  /** The row is gone: what lies in the blob stores is named here. */
  'run.deleted': fact({ ...run, blobKeys: Type.Array(Type.String()) }),
  /** A runner has ended a task, or it was ended: its log is put together. */
  'task.finished': fact({ ...run, taskId: id<TaskId>() }),
}
