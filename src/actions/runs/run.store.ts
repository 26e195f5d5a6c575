import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type {
  ActionTaskRow,
  ActionJobRow,
  ActionRunRow,
  ActionStatus,
  NewActionJobRow,
  NewActionRunRow,
} from '../../db/tables/actions.ts'
import type { ActionJobId, Oid, RepoId, RunId, RunnerId, TaskId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** Statuses of what may still change, as the indexes of the tables name them. */
export const openStatuses = ['waiting', 'running', 'blocked'] as const
/** Written out, as the conditions of indexes have them. */
const areOpen = openStatuses.map((status) => sql.lit(status))

/** The next number of a run in a repository; who asks in another transaction meanwhile waits. */
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

export const insertPayload = (tx: Tx, runId: RunId, data: string) =>
  tx.insertInto('action_run_payload').values({ run_id: runId, data }).execute()

/** Most rows of one statement: databases take only so many values. */
const rowsAtOnce = 50

export async function insertJobs(tx: Tx, rows: readonly NewActionJobRow[]): Promise<ActionJobRow[]> {
  const made: ActionJobRow[] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce)
    made.push(...(await tx.insertInto('action_job').values(some).returningAll().execute()))
  }
  return made.toSorted((one, other) => one.position - other.position)
}

export const findRun = (db: Db | Tx, repoId: RepoId, id: RunId): Promise<ActionRunRow | undefined> =>
  db.selectFrom('action_run').selectAll().where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()

/** The row, locked against others until the transaction ends (SQLite has one writer anyway). */
export const findRunForUpdate = (tx: Tx, id: RunId): Promise<ActionRunRow | undefined> =>
  tx
    .updateTable('action_run')
    .set((set) => ({ status: set.ref('status') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

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

/** What lists of runs are narrowed to: all of these that are given. */
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

/** Runs in the order in which they were made. */
export const listRuns = (db: Db, filter: RunFilter, page: Page): Promise<ActionRunRow[]> =>
  filtered(db, filter).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

/** How many there are. Without a filter that is kept beside them. */
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
  const { count } = await filtered(db, filter)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Open runs of one kind: a newer one takes their place. */
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

/** The runs that share a group: trusted runs of a repository do, and untrusted runs of one ref. */
export type GroupOfRun = Pick<ActionRunRow, 'id' | 'repo_id' | 'concurrency_group' | 'is_foreign' | 'ref'>

/** Other open runs of the group of a run, the earliest first. A run that waits for approval is in no group yet. */
export const listOpenRunsOfGroup = (tx: Tx, run: GroupOfRun): Promise<ActionRunRow[]> =>
  tx
    .selectFrom('action_run')
    .selectAll()
    .where('id', '<>', run.id)
    .where('repo_id', '=', run.repo_id)
    .where('concurrency_group', '=', run.concurrency_group)
    .where('concurrency_group', '<>', sql.lit(''))
    .where('is_foreign', '=', run.is_foreign)
    .$if(run.is_foreign, (query) => query.where('ref', '=', run.ref))
    .where((where) => where.or([where('needs_approval', '=', false), where('approver_id', 'is not', null)]))
    .where('status', 'in', areOpen)
    .orderBy('id')
    .execute()

/** Whether a run of somebody's pull request was approved before. */
export const hadApproval = async (db: Db | Tx, repoId: RepoId, authorId: UserId): Promise<boolean> =>
  (await db
    .selectFrom('action_run')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('author_id', '=', authorId)
    .where('approver_id', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether there is a run for a commit of a pull request already, as trusted as one of this pull request is. */
export const hasPullRunFor = async (
  db: Db | Tx,
  { repoId, commit, isForeign }: { readonly repoId: RepoId; readonly commit: Oid; readonly isForeign: boolean },
): Promise<boolean> =>
  (await db
    .selectFrom('action_run')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('commit_oid', '=', commit)
    .where('event', '=', 'pull_request')
    .where('is_foreign', '=', isForeign)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Returns the workflows and jobs of trusted runs for a commit, whose statuses belong to these runs. */
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

/** All that a change of a run looks at, without what runners get of the file. */
export type JobState = Omit<ActionJobRow, 'payload'>

export const listJobStates = (tx: Tx, runId: RunId): Promise<JobState[]> =>
  tx
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

export async function updateJobs(tx: Tx, ids: readonly ActionJobId[], change: Partial<NewActionJobRow>): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('action_job')
    .set(change)
    .where('id', 'in', sql<ActionJobId>`${idList(tx, idListText(ids))}`)
    .execute()
}

/** Ends tasks that still run, with their steps, at once. */
export async function stopTasks(
  tx: Tx,
  ids: readonly TaskId[],
  status: ActionStatus,
  atUnix: Unix,
): Promise<readonly TaskId[]> {
  if (ids.length === 0) return []
  const stopped = await tx
    .updateTable('action_task')
    .set({ status, stopped_unix: atUnix, updated_unix: atUnix })
    .where('id', 'in', sql<TaskId>`${idList(tx, idListText(ids))}`)
    .where('status', '=', sql.lit('running'))
    .returning('id')
    .execute()
  const done = stopped.map(({ id }) => id)
  if (done.length > 0) {
    await tx
      .updateTable('action_step')
      .set({ status, stopped_unix: atUnix })
      .where('task_id', 'in', sql<TaskId>`${idList(tx, idListText(done))}`)
      .where('status', 'in', ['unknown', 'waiting', 'running'])
      .execute()
  }
  return done
}

/** The running tasks of a repository: at most as many as its runners can run. */
export const listRunningTasksOfRepo = (tx: Tx, repoId: RepoId): Promise<Pick<ActionTaskRow, 'id' | 'run_id'>[]> =>
  tx
    .selectFrom('action_task')
    .select(['id', 'run_id'])
    .where('repo_id', '=', repoId)
    .where('status', '=', sql.lit('running'))
    .execute()

/** The running tasks of a runner. */
export const listTasksOfRunner = (tx: Tx, runnerId: RunnerId): Promise<Pick<ActionTaskRow, 'id' | 'run_id'>[]> =>
  tx
    .selectFrom('action_task')
    .select(['id', 'run_id'])
    .where('runner_id', '=', runnerId)
    .where('status', '=', sql.lit('running'))
    .execute()

/** Jobs of a repository that run although their task has ended. */
export const listStoppedJobs = (db: Db, repoId: RepoId): Promise<Pick<ActionJobRow, 'id' | 'run_id'>[]> =>
  db
    .selectFrom('action_job')
    .innerJoin('action_task', 'action_task.id', 'action_job.task_id')
    .select(['action_job.id', 'action_job.run_id'])
    .where('action_job.repo_id', '=', repoId)
    .where('action_job.status', '=', sql.lit('running'))
    .where('action_task.status', '<>', sql.lit('running'))
    .execute()

/** Raises the versions of queues, so that runners that know the one before look again. */
export async function raiseQueueVersions(tx: Tx, scopes: readonly string[]): Promise<void> {
  // In one order: of two transactions that raise several none waits for what waits for it.
  await tx
    .insertInto('action_queue_version')
    .values(scopes.toSorted().map((scope) => ({ scope, version: 1 })))
    .onConflict((conflict) => conflict.column('scope').doUpdateSet({ version: sql`action_queue_version.version + 1` }))
    .execute()
}

/** The run of the job of a repository that has waited longest for a runner; undefined when none waits. */
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
  const { numDeletedRows } = await tx
    .deleteFrom('action_run')
    .where('repo_id', '=', repoId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await tx
    .updateTable('action_run_counter')
    .set({ num_runs: sql`num_runs - 1` })
    .where('repo_id', '=', repoId)
    .execute()
  return true
}

/** The files of a run, by their keys: stored logs, artifacts, and parts of these. */
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

/** What the artifacts of a run count in the ledger. */
export const sumArtifactsOfRun = async (tx: Tx, runId: RunId): Promise<number> => {
  const { bytes } = await tx
    .selectFrom('action_artifact')
    .select(sql<number | string | null>`sum(case when is_whole then stored_bytes else reserved_bytes end)`.as('bytes'))
    .where('run_id', '=', runId)
    .where('is_expired', '=', sql.lit(false))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
