import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { ActionRunRow, ActionStatus, ActionTaskRow } from '../../db/tables/actions.ts'
import type { RepoId, TaskId, UserId } from '../../lib/ids.ts'

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
