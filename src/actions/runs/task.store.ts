import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type {
  ActionJobRow,
  ActionRunRow,
  ActionStepRow,
  ActionTaskRow,
  NewActionTaskRow,
} from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import type { ActionJobId, RepoId, RunId, TaskId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { QueueScope } from '../queue-scope.ts'
import { loadRuns } from './run.store.ts'

/** A task, which is one attempt at a job, with its run and the name of the job. */
export interface TaskOfRun {
  readonly task: ActionTaskRow
  readonly jobName: string
  readonly run: ActionRunRow
}

/** Returns tasks of a repository, the newest first, in four statements. */
export async function listTasks(db: Db, repoId: RepoId, { limit, offset }: Page): Promise<TaskOfRun[]> {
  // The offset skips index entries; only the rows of the page are read.
  const entries = await db
    .selectFrom('action_task')
    .select('id')
    .where('repo_id', '=', repoId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  if (entries.length === 0) return []
  const ids = idList(db, idListText(entries.map(({ id }) => id)))
  const tasks = await db
    .selectFrom('action_task')
    .selectAll()
    .where('id', 'in', sql<TaskId>`${ids}`)
    .orderBy('id', 'desc')
    .execute()
  const [runs, jobs] = await Promise.all([
    loadRuns(db, pluck(tasks, 'run_id')),
    db
      .selectFrom('action_job')
      .select(['id', 'name'])
      .where('id', 'in', sql<ActionJobId>`${idList(db, idListText(tasks.map(({ job_id }) => job_id)))}`)
      .execute(),
  ])
  const names = new Map(jobs.map(({ id, name }) => [id, name]))
  return tasks.flatMap((task) => {
    const run = runs.get(task.run_id)
    return run ? [{ task, jobName: names.get(task.job_id) ?? '', run }] : []
  })
}

/** Returns the number of tasks of a repository, which a trigger keeps in `action_task_tally`. */
export async function countTasks(db: Db, repoId: RepoId): Promise<number> {
  const { total } = await db
    .selectFrom('action_task_tally')
    .select((select) => select.fn.sum<number | string | null>('total').as('total'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  return Number(total ?? 0)
}

export type OpenJob = Pick<ActionJobRow, 'id' | 'repo_id' | 'name' | 'needs' | 'runs_on' | 'task_id' | 'status'> & {
  readonly run_id: RunId
  readonly owner_id: UserId
}

/** Returns waiting and running jobs of a scope with ids below `beforeId`, the newest first. */
export function listOpenJobs(
  db: Db,
  { ownerId, repoId }: QueueScope,
  beforeId: ActionJobId | undefined,
  limit: number,
): Promise<OpenJob[]> {
  let query = db
    .selectFrom('action_job')
    .innerJoin('repo', 'repo.id', 'action_job.repo_id')
    .select([
      'action_job.id',
      'action_job.run_id',
      'action_job.repo_id',
      'action_job.name',
      'action_job.needs',
      'action_job.runs_on',
      'action_job.task_id',
      'action_job.status',
      'repo.owner_id',
    ])
    .where('action_job.status', 'in', ['waiting', 'running'])
  if (repoId !== null) query = query.where('action_job.repo_id', '=', repoId)
  if (ownerId !== null) query = query.where('repo.owner_id', '=', ownerId)
  if (beforeId !== undefined) query = query.where('action_job.id', '<', beforeId)
  return query.orderBy('action_job.id', 'desc').limit(limit).execute()
}

export type StepOfTask = ActionStepRow

/** Returns the steps of tasks in order. */
export async function listStepsOf(
  db: Db,
  taskIds: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, readonly StepOfTask[]>> {
  if (taskIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('action_step')
    .selectAll()
    .where('task_id', 'in', sql<TaskId>`${idList(db, idListText(taskIds))}`)
    .orderBy('task_id')
    .orderBy('position')
    .execute()
  return Map.groupBy(rows, ({ task_id }) => task_id)
}

/** Returns the names of the steps of tasks as the server evaluated them. */
export async function listStepNamesOf(
  db: Db,
  taskIds: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, readonly string[]>> {
  if (taskIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('action_task')
    .select(['id', 'step_names'])
    .where('id', 'in', sql<TaskId>`${idList(db, idListText(taskIds))}`)
    .execute()
  return new Map(rows.map(({ id, step_names: names }) => [id, JSON.parse(names) as string[]]))
}

/** Returns running tasks whose last report, or whose start, is older than a moment. */
export const listRunningTasks = (
  db: Db,
  before: { readonly activeMs: number } | { readonly startedUnix: number },
  limit: number,
): Promise<Pick<ActionTaskRow, 'id' | 'job_id' | 'run_id'>[]> => {
  const running = db
    .selectFrom('action_task')
    .select(['id', 'job_id', 'run_id'])
    .where('status', '=', sql.lit('running'))
  const old =
    'activeMs' in before
      ? running.where('active_ms', '<', before.activeMs)
      : running.where('started_unix', '<', before.startedUnix)
  return old.orderBy('id').limit(limit).execute()
}

/** Returns jobs that have waited since before a moment. */
export const listAbandonedJobs = (
  db: Db,
  beforeUnix: number,
  limit: number,
): Promise<Pick<ActionJobRow, 'id' | 'run_id'>[]> =>
  db
    .selectFrom('action_job')
    .select(['id', 'run_id'])
    .where('status', 'in', ['waiting', 'blocked'])
    .where('updated_unix', '<', beforeUnix)
    .orderBy('updated_unix')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns the task and locks its row until the transaction ends. */
export const findTaskForUpdate = (tx: Tx, id: TaskId): Promise<ActionTaskRow | undefined> =>
  tx
    .updateTable('action_task')
    .set((set) => ({ status: set.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const findTask = (db: Db | Tx, id: TaskId): Promise<ActionTaskRow | undefined> =>
  db.selectFrom('action_task').selectAll().where('id', '=', id).executeTakeFirst()

export const loadTasks = (db: Db, ids: readonly TaskId[]): Promise<ActionTaskRow[]> =>
  db
    .selectFrom('action_task')
    .selectAll()
    .where('id', 'in', sql<TaskId>`${idList(db, idListText(ids))}`)
    .execute()

export const updateTask = (tx: Tx, id: TaskId, change: Partial<NewActionTaskRow>) =>
  tx.updateTable('action_task').set(change).where('id', '=', id).execute()

export const listOutputsOf = (db: Db, taskIds: readonly TaskId[]) =>
  db
    .selectFrom('action_output')
    .selectAll()
    .where('task_id', 'in', sql<TaskId>`${idList(db, idListText(taskIds))}`)
    .execute()
