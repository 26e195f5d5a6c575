import type { RepoCtx } from '../../access/context.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { findUserByName, loadUsers } from '../../users/user.store.ts'
import { isStatus } from '../status.rules.ts'
import { getRunNumbered } from './run.service.ts'
import { listLogLengths, listNewestFacets, listNewestRuns } from './run-list.store.ts'
import { findJobAt, listJobStates, type JobState } from './run.store.ts'
import { pluck } from '../../lib/pluck.ts'

/** What a person asked for; unknown statuses are ignored. */
export interface RunListQuery {
  readonly workflow?: string | undefined
  readonly status?: string | undefined
  readonly event?: string | undefined
  readonly branch?: string | undefined
  readonly actor?: string | undefined
}

/** A run with the account that caused it, if it exists. */
export interface ListedRun {
  readonly run: ActionRunRow
  readonly actor: UserRow | undefined
}

const absent = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

/** Returns one page of the runs of a repository, the newest first, and whether more follow. */
export async function newestRuns(
  { db, repo }: Pick<RepoCtx, 'db' | 'repo'>,
  { workflow, status = '', event, branch, actor = '' }: RunListQuery,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly runs: readonly ListedRun[]; readonly hasMore: boolean }> {
  const doer = actor === '' ? undefined : await findUserByName(db, actor)
  if (actor !== '' && !doer) return { runs: [], hasMore: false }
  const rows = await listNewestRuns(
    db,
    {
      repoId: repo.id,
      workflow: absent(workflow),
      status: isStatus(status) ? status : undefined,
      event: absent(event),
      head: absent(branch),
      doerId: doer?.id,
    },
    { limit: page.limit + 1, offset: page.offset },
  )
  const shown = rows.slice(0, page.limit)
  const users = await loadUsers(db, pluck(shown, 'doer_id'))
  return { runs: shown.map((run) => ({ run, actor: users.get(run.doer_id) })), hasMore: rows.length > page.limit }
}

/** Number of runs that the choices of filters are taken from. */
const facetRuns = 200

/** The values of the newest runs that people filter by. */
export interface RunFacets {
  /** Names of workflows by their files. */
  readonly workflows: ReadonlyMap<string, string>
  readonly events: readonly string[]
  readonly branches: readonly string[]
  readonly actors: readonly UserRow[]
}

/** Returns the values that the newest runs of a repository have. */
export async function recentFacets({ db, repo }: Pick<RepoCtx, 'db' | 'repo'>): Promise<RunFacets> {
  const rows = await listNewestFacets(db, repo.id, facetRuns)
  const users = await loadUsers(db, new Set<UserId>(rows.map((row) => row.doer_id)))
  return {
    workflows: new Map(rows.map((row) => [row.workflow_id, row.workflow_name]).toReversed() as [string, string][]),
    events: [...new Set(rows.map((row) => row.event))].toSorted(),
    branches: [...new Set(rows.map((row) => row.head))],
    actors: [...users.values()].toSorted((one, other) => (one.lower_name < other.lower_name ? -1 : 1)),
  }
}

/** A run with its jobs, without what runners get. */
export interface RunWithJobs extends ListedRun {
  readonly jobs: readonly JobState[]
}

/** Returns a run by its number, with its jobs. Throws `NotFound`. */
export async function getRunWithJobs(ctx: Pick<RepoCtx, 'db' | 'repo'>, number: number): Promise<RunWithJobs> {
  const run = await getRunNumbered(ctx, number)
  const [jobs, users] = await Promise.all([listJobStates(ctx.db, run.id), loadUsers(ctx.db, [run.doer_id])])
  return { run, jobs, actor: users.get(run.doer_id) }
}

/** Returns a job by its position in a run. Throws `NotFound`. */
export async function getJobOf(
  { db }: Pick<RepoCtx, 'db'>,
  run: ActionRunRow,
  position: number,
): Promise<ActionJobRow> {
  const job = await findJobAt(db, run.id, position)
  if (!job) throw new NotFound('the job does not exist', 'job_not_found')
  return job
}

/** Returns the number of lines in the logs of jobs so far, by job. */
export async function lengthsOfLogs(
  { db }: Pick<RepoCtx, 'db'>,
  jobs: readonly Pick<JobState, 'id' | 'task_id'>[],
): Promise<ReadonlyMap<JobState['id'], number>> {
  const rows = await listLogLengths(
    db,
    jobs.flatMap(({ task_id }) => task_id ?? []),
  )
  return new Map(rows.map((row) => [row.job_id, row.log_lines]))
}
