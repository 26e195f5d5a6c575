import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type {
  ActionTaskRow,
  ActionJobRow,
  ActionRunRow,
  ActionStatus,
  NewActionJobRow,
  NewActionRunRow,
} from '../../db/tables/actions.ts'
import { lockGroupsOfRun } from './group.store.ts'
import type { RunCause } from './run-cause.rules.ts'
import type { ActionJobId, Oid, RepoId, RunId, RunnerId, TaskId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** The statuses of runs and jobs that have not ended. */
export const openStatuses = ['waiting', 'running', 'blocked'] as const
/** Literals and not parameters, so that the statement matches the partial index on open runs. */
const areOpen = openStatuses.map((status) => sql.lit(status))

/** Returns the next run number of a repository. A concurrent transaction waits for the counter's row. */
export async function takeRunNumber(tx: Tx, repoId: RepoId): Promise<number> {
  const { last_number } = await tx
    .insertInto('action_run_counter')
    .values({ repo_id: repoId, last_number: 1, num_runs: 1 })
    .onConflict((conflict) =>
      conflict.column('repo_id').doUpdateSet({
        last_number: sql`action_run_counter.last_number + 1`,
        num_runs: sql`action_run_counter.num_runs + 1`,
      }),
    )
    .returning('last_number')
    .executeTakeFirstOrThrow()
  return last_number
}

export const insertRun = (tx: Tx, values: NewActionRunRow): Promise<ActionRunRow> =>
  tx.insertInto('action_run').values(values).returningAll().executeTakeFirstOrThrow()

/** Returns the run that a cause has started for a workflow file and an entry of `on`. */
export const findRunOfCause = (
  db: Db | Tx,
  { repo_id, cause, workflow_id, event }: Pick<ActionRunRow, 'repo_id' | 'workflow_id' | 'event'> & { cause: RunCause },
): Promise<ActionRunRow | undefined> =>
  db
    .selectFrom('action_run')
    .selectAll()
    .where('repo_id', '=', repo_id)
    .where('cause', '=', cause)
    .where('workflow_id', '=', workflow_id)
    .where('event', '=', event)
    .executeTakeFirst()

/** Returns whether a run has its payload, which is inserted with its jobs. */
export const hasPayload = (db: Db | Tx, runId: RunId): Promise<boolean> =>
  hasRow(db.selectFrom('action_run_payload').where('run_id', '=', runId))

export const insertPayload = (tx: Tx, runId: RunId, data: string) =>
  tx.insertInto('action_run_payload').values({ run_id: runId, data }).execute()

/** Rows of one insert: both databases limit the parameters of a statement. */
const rowsPerInsert = 50

export async function insertJobs(tx: Tx, rows: readonly NewActionJobRow[]): Promise<ActionJobRow[]> {
  const inserted: ActionJobRow[] = []
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const batch = rows.slice(at, at + rowsPerInsert)
    inserted.push(...(await tx.insertInto('action_job').values(batch).returningAll().execute()))
  }
  return inserted.toSorted((one, other) => one.position - other.position)
}

export const findRun = (db: Db | Tx, repoId: RepoId, id: RunId): Promise<ActionRunRow | undefined> =>
  db.selectFrom('action_run').selectAll().where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()

/**
 * Returns the run and locks its row until the transaction ends. Before it, the concurrency groups of the repository are
 * locked if the run may belong to one: the end of a job may start and cancel members in other runs.
 */
export async function findRunForUpdate(tx: Tx, id: RunId): Promise<ActionRunRow | undefined> {
  await lockGroupsOfRun(tx, id)
  return tx
    .updateTable('action_run')
    .set((set) => ({ status: set.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

export const updateRun = (tx: Tx, id: RunId, change: Partial<NewActionRunRow>) =>
  tx.updateTable('action_run').set(change).where('id', '=', id).execute()

export async function loadRuns(db: Db | Tx, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, ActionRunRow>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('action_run')
          .selectAll()
          .where('id', 'in', sql<RunId>`${idList(db, idListText(ids))}`)
          .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The conditions of a list of runs. An empty list and undefined filter nothing. */
export interface RunFilter {
  readonly repoId: RepoId
  readonly events: readonly string[]
  readonly statuses: readonly ActionStatus[]
  readonly number: number | undefined
  readonly sha: string | undefined
}

const filtered = (db: Db, { repoId, events, statuses, number, sha }: RunFilter) => {
  let query = db.selectFrom('action_run').where('repo_id', '=', repoId)
  if (events.length > 0) query = query.where('event', 'in', events)
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  if (number !== undefined) query = query.where('number', '=', number)
  if (sha !== undefined) query = query.where('commit_oid', '=', sha as Oid)
  return query
}

/** Returns runs, the oldest first. */
export const listRuns = (db: Db, filter: RunFilter, page: Page): Promise<ActionRunRow[]> =>
  filtered(db, filter).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

/** Returns the number of runs. The count without a filter is kept in `action_run_counter`. */
export async function countRuns(db: Db, filter: RunFilter): Promise<number> {
  const { repoId, events, statuses, number, sha } = filter
  if (events.length === 0 && statuses.length === 0 && number === undefined && sha === undefined) {
    const counter = await db
      .selectFrom('action_run_counter')
      .select('num_runs')
      .where('repo_id', '=', repoId)
      .executeTakeFirst()
    return counter?.num_runs ?? 0
  }
  return countRows(filtered(db, filter))
}

/** Returns the open runs of the same workflow, reference and trigger, which a newer run replaces. */
export const listOpenRunsLike = (
  tx: Tx,
  like: Pick<ActionRunRow, 'repo_id' | 'ref' | 'workflow_id' | 'happening' | 'event' | 'is_foreign'>,
): Promise<ActionRunRow[]> =>
  tx
    .selectFrom('action_run')
    .selectAll()
    .where('repo_id', '=', like.repo_id)
    .where('ref', '=', like.ref)
    .where('workflow_id', '=', like.workflow_id)
    .where('happening', '=', like.happening)
    .where('event', '=', like.event)
    .where('is_foreign', '=', like.is_foreign)
    .where('status', 'in', areOpen)
    .orderBy('id')
    .execute()

/** Returns whether a run by this author was approved in the repository. */
export const hasApprovedRun = (db: Db | Tx, repoId: RepoId, authorId: UserId): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('action_run')
      .where('repo_id', '=', repoId)
      .where('author_id', '=', authorId)
      .where('approver_id', 'is not', null),
  )

/** Returns whether a `pull_request` run of the same trust and of another cause exists for a commit. */
export const hasPullRunFor = (
  db: Db | Tx,
  {
    repoId,
    commit,
    isForeign,
    cause,
  }: { readonly repoId: RepoId; readonly commit: Oid; readonly isForeign: boolean; readonly cause: RunCause },
): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('action_run')
      .where('repo_id', '=', repoId)
      .where('commit_oid', '=', commit)
      .where('event', '=', 'pull_request')
      .where('is_foreign', '=', isForeign)
      .where((where) => where.or([where('cause', 'is', null), where('cause', '<>', cause)])),
  )

/** Returns the names of the jobs of trusted runs for a commit and trigger. */
export const listTrustedJobs = (
  tx: Tx,
  { repo_id, commit_oid, event }: Pick<ActionRunRow, 'repo_id' | 'commit_oid' | 'event'>,
): Promise<{ workflow_name: string; event: string; name: string }[]> =>
  tx
    .selectFrom('action_run')
    .innerJoin('action_job', 'action_job.run_id', 'action_run.id')
    .select(['action_run.workflow_name', 'action_run.event', 'action_job.name'])
    .distinct()
    .where('action_run.repo_id', '=', repo_id)
    .where('action_run.commit_oid', '=', commit_oid)
    .where('action_run.event', '=', event)
    .where('action_run.is_foreign', '=', false)
    .execute()

/** A job without its payload, the YAML that the runner gets. */
export type JobState = Omit<ActionJobRow, 'payload'>

export const listJobStates = (db: Db | Tx, runId: RunId): Promise<JobState[]> =>
  db
    .selectFrom('action_job')
    .select([
      'id',
      'run_id',
      'repo_id',
      'position',
      'job_key',
      'name',
      'needs',
      'runs_on',
      'has_condition',
      'is_read_only',
      'may_identify',
      'is_call',
      'passed_secrets',
      'is_deferred',
      'concurrency_group',
      'group_cancels',
      'group_state',
      'environment',
      'environment_url',
      'status',
      'attempt',
      'task_id',
      'queued_ms',
      'started_unix',
      'stopped_unix',
      'created_unix',
      'updated_unix',
    ])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute()

/** Deletes a job that no runner got. */
export const deleteJob = (tx: Tx, id: ActionJobId) => tx.deleteFrom('action_job').where('id', '=', id).execute()

/** Returns the ids of the jobs that have nothing to run, because of a mistake in the file. */
export const listFaultyJobIds = async (tx: Tx, runId: RunId): Promise<ActionJobId[]> =>
  (await tx.selectFrom('action_job').select('id').where('run_id', '=', runId).where('payload', '=', '').execute()).map(
    ({ id }) => id,
  )

export async function updateJobs(tx: Tx, ids: readonly ActionJobId[], change: Partial<NewActionJobRow>): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('action_job')
    .set(change)
    .where('id', 'in', sql<ActionJobId>`${idList(tx, idListText(ids))}`)
    .execute()
}

/** Ends the tasks that still run, and their steps. Returns the ids of these tasks. */
export async function stopTasks(
  tx: Tx,
  ids: readonly TaskId[],
  status: ActionStatus,
  atUnix: Unix,
): Promise<readonly TaskId[]> {
  if (ids.length === 0) return []
  const stopped = await tx
    .updateTable('action_task')
    .set({
      status,
      stopped_unix: atUnix,
      updated_unix: atUnix,
      // They are needed until the log is stored.
      masks: sql<string>`case when log_state = 'stored' then '' else masks end`,
    })
    .where('id', 'in', sql<TaskId>`${idList(tx, idListText(ids))}`)
    .where('status', '=', sql.lit('running'))
    .returning('id')
    .execute()
  const stoppedIds = stopped.map(({ id }) => id)
  if (stoppedIds.length > 0) {
    await tx
      .updateTable('action_step')
      .set({ status, stopped_unix: atUnix })
      .where('task_id', 'in', sql<TaskId>`${idList(tx, idListText(stoppedIds))}`)
      .where('status', 'in', ['unknown', 'waiting', 'running'])
      .execute()
  }
  return stoppedIds
}

export const listRunningTasksOfRepo = (tx: Tx, repoId: RepoId): Promise<Pick<ActionTaskRow, 'id' | 'run_id'>[]> =>
  tx
    .selectFrom('action_task')
    .select(['id', 'run_id'])
    .where('repo_id', '=', repoId)
    .where('status', '=', sql.lit('running'))
    .execute()

export const listTasksOfRunner = (tx: Tx, runnerId: RunnerId): Promise<Pick<ActionTaskRow, 'id' | 'run_id'>[]> =>
  tx
    .selectFrom('action_task')
    .select(['id', 'run_id'])
    .where('runner_id', '=', runnerId)
    .where('status', '=', sql.lit('running'))
    .execute()

/** Returns the jobs of a repository that are running although their task has ended. */
export const listStoppedJobs = (db: Db, repoId: RepoId): Promise<Pick<ActionJobRow, 'id' | 'run_id'>[]> =>
  db
    .selectFrom('action_job')
    .innerJoin('action_task', 'action_task.id', 'action_job.task_id')
    .select(['action_job.id', 'action_job.run_id'])
    .where('action_job.repo_id', '=', repoId)
    .where('action_job.status', '=', sql.lit('running'))
    .where('action_task.status', '<>', sql.lit('running'))
    .execute()

/** Increments the versions of queues: a runner that knows an older version looks for work. */
export async function incrementQueueVersions(tx: Tx, scopes: readonly string[]): Promise<void> {
  // Sorted, so that two transactions lock the rows in one order and cannot deadlock.
  await tx
    .insertInto('action_queue_version')
    .values(scopes.toSorted().map((scope) => ({ scope, version: 1 })))
    .onConflict((conflict) => conflict.column('scope').doUpdateSet({ version: sql`action_queue_version.version + 1` }))
    .execute()
}

/** Returns the run of the job that has waited longest in a repository, or undefined when no job waits. */
export const findWaitingRun = (
  tx: Tx,
  repoId: RepoId,
): Promise<Pick<ActionRunRow, 'id' | 'repo_id' | 'doer_id'> | undefined> =>
  tx
    .selectFrom('action_job')
    .innerJoin('action_run', 'action_run.id', 'action_job.run_id')
    .select(['action_run.id', 'action_run.repo_id', 'action_run.doer_id'])
    .where('action_job.repo_id', '=', repoId)
    .where('action_job.status', '=', sql.lit('waiting'))
    .orderBy('action_job.queued_ms')
    .orderBy('action_job.id')
    .limit(1)
    .executeTakeFirst()

export const findPayload = async (db: Db | Tx, runId: RunId): Promise<string | undefined> =>
  (await db.selectFrom('action_run_payload').select('data').where('run_id', '=', runId).executeTakeFirst())?.data

export const findRunByNumber = (db: Db | Tx, repoId: RepoId, number: number): Promise<ActionRunRow | undefined> =>
  db.selectFrom('action_run').selectAll().where('repo_id', '=', repoId).where('number', '=', number).executeTakeFirst()

export const listJobsOfRun = (db: Db | Tx, runId: RunId): Promise<ActionJobRow[]> =>
  db.selectFrom('action_job').selectAll().where('run_id', '=', runId).orderBy('position').execute()

export const findJob = (db: Db | Tx, id: ActionJobId): Promise<ActionJobRow | undefined> =>
  db.selectFrom('action_job').selectAll().where('id', '=', id).executeTakeFirst()

export const findJobAt = (db: Db, runId: RunId, position: number): Promise<ActionJobRow | undefined> =>
  db
    .selectFrom('action_job')
    .selectAll()
    .where('run_id', '=', runId)
    .where('position', '=', position)
    .executeTakeFirst()

export const deleteRunRow = async (tx: Tx, repoId: RepoId, id: RunId): Promise<boolean> => {
  const run = tx.deleteFrom('action_run').where('repo_id', '=', repoId).where('id', '=', id)
  if (!(await changesRow(run))) return false
  await tx
    .updateTable('action_run_counter')
    .set({ num_runs: sql`num_runs - 1` })
    .where('repo_id', '=', repoId)
    .execute()
  return true
}

/** Returns the blob keys of a run: stored logs, artifacts, and parts of unfinished artifacts. */
export async function listBlobKeys(tx: Tx, runId: RunId): Promise<string[]> {
  const logs = tx
    .selectFrom('action_task')
    .innerJoin('action_job', 'action_job.id', 'action_task.job_id')
    .select('action_task.log_key as key')
    .where('action_job.run_id', '=', runId)
    .where('action_task.log_key', '<>', '')
  const artifacts = tx
    .selectFrom('action_artifact')
    .select('blob_key as key')
    .where('run_id', '=', runId)
    .where('blob_key', '<>', '')
  const parts = tx
    .selectFrom('action_artifact_block')
    .innerJoin('action_artifact', 'action_artifact.id', 'action_artifact_block.artifact_id')
    .select('action_artifact_block.blob_key as key')
    .where('action_artifact.run_id', '=', runId)
  return (await logs.unionAll(artifacts).unionAll(parts).execute()).map(({ key }) => key)
}

/** Returns the bytes that the usage ledger counts for the artifacts of a run. */
export const sumArtifactsOfRun = async (tx: Tx, runId: RunId): Promise<number> => {
  const { bytes } = await tx
    .selectFrom('action_artifact')
    .select(sql<number | string | null>`sum(case when is_whole then stored_bytes else reserved_bytes end)`.as('bytes'))
    .where('run_id', '=', runId)
    .where('is_expired', '=', sql.lit(false))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
