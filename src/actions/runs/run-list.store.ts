import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { ActionJobRow, ActionRunRow, ActionStatus, ActionTaskRow } from '../../db/tables/actions.ts'
import type { Oid, RepoId, RunId, TaskId, UserId } from '../../lib/ids.ts'

/** The conditions of a list of runs; undefined filters nothing. */
export interface NewestRunFilter {
  readonly repoId: RepoId
  readonly workflow: string | undefined
  readonly status: ActionStatus | undefined
  readonly event: string | undefined
  /** The reference that lists show, such as a branch. */
  readonly head: string | undefined
  readonly doerId: UserId | undefined
}

/** Returns runs, the newest first. */
export function listNewestRuns(
  db: Db,
  { repoId, workflow, status, event, head, doerId }: NewestRunFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ActionRunRow[]> {
  let query = db.selectFrom('action_run').selectAll().where('repo_id', '=', repoId)
  if (workflow !== undefined) query = query.where('workflow_id', '=', workflow)
  if (status !== undefined) query = query.where('status', '=', status)
  if (event !== undefined) query = query.where('event', '=', event)
  if (head !== undefined) query = query.where('head', '=', head)
  if (doerId !== undefined) query = query.where('doer_id', '=', doerId)
  return query.orderBy('id', 'desc').limit(limit).offset(offset).execute()
}

/** Returns the columns of the newest runs that people filter by. */
export const listNewestFacets = (
  db: Db,
  repoId: RepoId,
  limit: number,
): Promise<Pick<ActionRunRow, 'workflow_id' | 'workflow_name' | 'event' | 'head' | 'doer_id'>[]> =>
  db
    .selectFrom('action_run')
    .select(['workflow_id', 'workflow_name', 'event', 'head', 'doer_id'])
    .where('repo_id', '=', repoId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns the lengths of the logs of tasks, in lines. */
export const listLogLengths = async (
  db: Db,
  ids: readonly TaskId[],
): Promise<Pick<ActionTaskRow, 'job_id' | 'log_lines'>[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('action_task')
        .select(['job_id', 'log_lines'])
        .where('id', 'in', sql<TaskId>`${idList(db, idListText(ids))}`)
        .execute()

export type RunOfCommit = Pick<ActionRunRow, 'id' | 'number' | 'workflow_id' | 'workflow_name' | 'is_foreign'>

/** Returns the runs for a commit, the newest first. */
export const listRunsOfCommit = (db: Db, repoId: RepoId, oid: Oid, limit: number): Promise<RunOfCommit[]> =>
  db
    .selectFrom('action_run')
    .select(['id', 'number', 'workflow_id', 'workflow_name', 'is_foreign'])
    .where('repo_id', '=', repoId)
    .where('commit_oid', '=', oid)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export type TakenJob = Pick<ActionJobRow, 'run_id' | 'name' | 'position'> & { readonly task_id: TaskId }

/** Returns the jobs of runs that a runner took. */
export const listTakenJobs = (db: Db, runIds: readonly RunId[], limit: number): Promise<TakenJob[]> =>
  db
    .selectFrom('action_job')
    .select(['run_id', 'name', 'position'])
    .select((select) => select.ref('task_id').$notNull().as('task_id'))
    .where('run_id', 'in', runIds)
    .where('task_id', 'is not', null)
    .orderBy('run_id', 'desc')
    .orderBy('position')
    .limit(limit)
    .execute()
