import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { actionsUserId, type ActionJobId, type RepoId, type RunId, type TaskId, type UserId } from '../../lib/ids.ts'

/** A running task, as its tokens identify it. */
export interface RunningTask {
  readonly taskId: TaskId
  readonly jobId: ActionJobId
  readonly runId: RunId
  readonly repoId: RepoId
  readonly ownerId: UserId
  readonly isReadOnly: boolean
  readonly mayIdentify: boolean
}

const runningTasks = (db: Db) =>
  db
    .selectFrom('action_task')
    .innerJoin('action_job', 'action_job.id', 'action_task.job_id')
    .innerJoin('repo', 'repo.id', 'action_task.repo_id')
    .select([
      'action_task.id as taskId',
      'action_task.job_id as jobId',
      'action_task.run_id as runId',
      'action_task.repo_id as repoId',
      'repo.owner_id as ownerId',
      'action_job.is_read_only as isReadOnly',
      'action_job.may_identify as mayIdentify',
    ])
    .where('action_task.status', '=', sql.lit('running'))

export const findRunningTaskByToken = (db: Db, tokenHash: string): Promise<RunningTask | undefined> =>
  runningTasks(db).where('action_task.token_hash', '=', tokenHash).executeTakeFirst()

export const findRunningTask = (db: Db, id: TaskId): Promise<RunningTask | undefined> =>
  runningTasks(db).where('action_task.id', '=', id).executeTakeFirst()

/** Returns the account that jobs act as. */
export const findActionsAccount = (db: Db): Promise<UserRow> =>
  db.selectFrom('user').selectAll().where('id', '=', actionsUserId).executeTakeFirstOrThrow()
