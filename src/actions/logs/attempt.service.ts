import type { RepoCtx } from '../../access/context.ts'
import type { ActionTaskRow } from '../../db/tables/actions.ts'
import type { JobState } from '../runs/run.store.ts'
import { listStepsOf, loadTasks, type StepOfTask } from '../runs/task.store.ts'
import { listLastErrors } from './annotation.store.ts'

/** The newest attempt at a job. */
export interface Attempt {
  readonly task: ActionTaskRow
  readonly steps: readonly StepOfTask[]
  /** The lines of the last errors of failed steps, from 0, by the position of the step. */
  readonly errorLines: ReadonlyMap<number, number>
}

/** Returns the newest attempts by job. A job that no runner took has none. */
export async function attemptsAt(
  { db }: Pick<RepoCtx, 'db'>,
  jobs: readonly Pick<JobState, 'id' | 'task_id'>[],
): Promise<ReadonlyMap<JobState['id'], Attempt>> {
  const ids = jobs.flatMap(({ task_id: id }) => id ?? [])
  if (ids.length === 0) return new Map()
  const [tasks, steps, errors] = await Promise.all([loadTasks(db, ids), listStepsOf(db, ids), listLastErrors(db, ids)])
  const errorsOf = Map.groupBy(errors, (error) => error.task_id)
  return new Map(
    tasks.map((task) => {
      const errorLines = new Map((errorsOf.get(task.id) ?? []).map(({ position, line }) => [position, line]))
      return [task.job_id, { task, steps: steps.get(task.id) ?? [], errorLines }]
    }),
  )
}
