import { sql } from 'kysely'
import { textList, textListText } from '../../db/id-list.ts'
import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { hasRow } from '../../db/rows.ts'
import type { ActionStepRow, ActionTaskRow, NewActionTaskRow } from '../../db/tables/actions.ts'
import type { ActionJobId, RunId, RunnerId, TaskId } from '../../lib/ids.ts'
import type { QueueScope } from '../queue-scope.ts'

/** Selects the waiting jobs of a scope in repositories whose actions unit is enabled. */
function waiting(db: Db | Tx, { ownerId, repoId }: QueueScope) {
  const jobs = db.selectFrom('action_job').where('action_job.status', '=', sql.lit('waiting'))
  if (repoId !== null) return jobs.where('action_job.repo_id', '=', repoId)
  return jobs.where((where) =>
    where.exists(
      where
        .selectFrom('repo')
        .innerJoin('repo_unit', 'repo_unit.repo_id', 'repo.id')
        .select('repo.id')
        .whereRef('repo.id', '=', 'action_job.repo_id')
        .where('repo_unit.unit', '=', 'actions')
        .$if(ownerId !== null, (owned) => owned.where('repo.owner_id', '=', ownerId as NonNullable<typeof ownerId>)),
    ),
  )
}

/** Returns the distinct `runs_on` values of the waiting jobs of a scope. */
export const listWantedLabels = async (db: Db, scope: QueueScope): Promise<string[]> =>
  (await waiting(db, scope).select('action_job.runs_on').distinct().execute()).map(({ runs_on }) => runs_on)

/** Returns the job that waits longest of those with one of the `runs_on` values, of one run or of all. */
export const findNextJob = (
  db: Db | Tx,
  scope: QueueScope,
  runsOn: readonly string[],
  runId?: RunId,
): Promise<{ readonly id: ActionJobId; readonly run_id: RunId } | undefined> =>
  waiting(db, scope)
    .select(['action_job.id', 'action_job.run_id'])
    .where('action_job.runs_on', 'in', textList(db, textListText(runsOn)))
    .$if(runId !== undefined, (jobs) => jobs.where('action_job.run_id', '=', runId as RunId))
    .orderBy('action_job.queued_ms')
    .orderBy('action_job.id')
    .limit(1)
    .executeTakeFirst()

export const insertTask = (tx: Tx, values: NewActionTaskRow): Promise<ActionTaskRow> =>
  tx.insertInto('action_task').values(values).returningAll().executeTakeFirstOrThrow()

/** Inserts or updates the states of steps. */
export async function upsertSteps(tx: Tx, steps: readonly ActionStepRow[]): Promise<void> {
  for (let at = 0; at < steps.length; at += 50) {
    await tx
      .insertInto('action_step')
      .values(steps.slice(at, at + 50))
      .onConflict((conflict) =>
        conflict.columns(['task_id', 'position']).doUpdateSet((set) => ({
          name: sql<string>`case when excluded.name = '' then action_step.name else excluded.name end`,
          status: set.ref('excluded.status'),
          log_index: set.ref('excluded.log_index'),
          log_length: set.ref('excluded.log_length'),
          started_unix: set.ref('excluded.started_unix'),
          stopped_unix: set.ref('excluded.stopped_unix'),
        })),
      )
      .execute()
  }
}

/** Inserts outputs. An existing output keeps its value. */
export async function insertOutputs(
  tx: Tx,
  taskId: TaskId,
  outputs: readonly (readonly [string, string])[],
): Promise<void> {
  for (let at = 0; at < outputs.length; at += 50) {
    await tx
      .insertInto('action_output')
      .values(outputs.slice(at, at + 50).map(([name, value]) => ({ task_id: taskId, name, value })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export const listOutputNames = async (db: Db | Tx, taskId: TaskId): Promise<string[]> =>
  (
    await db
      .selectFrom('action_output')
      .select('name')
      .where('task_id', '=', taskId)
      .orderBy(bytewise(db, 'name'))
      .execute()
  ).map(({ name }) => name)

/** Returns whether a runner ever got a task. */
export const hasTask = (db: Db | Tx, runnerId: RunnerId): Promise<boolean> =>
  hasRow(db.selectFrom('action_task').where('runner_id', '=', runnerId))

/** Returns whether a runner is running a task. */
export const hasRunningTask = (db: Db, uuid: string): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('action_task')
      .innerJoin('action_runner', 'action_runner.id', 'action_task.runner_id')
      .where('action_runner.uuid', '=', uuid)
      .where('action_task.status', '=', sql.lit('running')),
  )
