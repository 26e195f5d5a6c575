import type { RepoCtx, Services } from '../../access/context.ts'
import type { ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import type { QueueScope } from '../queue-scope.ts'
import { isStatus } from '../status.rules.ts'
import { countRuns, findRun, findRunByNumber, listJobStates, listRuns, type JobState } from './run.store.ts'
import { countTasks, listOpenJobs, listTasks, type OpenJob, type TaskOfRun } from './task.store.ts'

/** The filters of a list of runs as the client sent them. */
export interface RunQuery {
  readonly events: readonly string[]
  readonly statuses: readonly string[]
  readonly number: number | undefined
  readonly sha: string | undefined
}

/** Returns statuses that a client sent. Throws `BadRequest` for an unknown one. */
export function knownStatuses(statuses: readonly string[]): readonly ActionStatus[] {
  const known = statuses.filter(isStatus)
  if (known.length < statuses.length) {
    const unknown = statuses.find((each) => !isStatus(each))
    throw new BadRequest(`[status]: unknown status "${unknown}"`, 'run_status_unknown')
  }
  return known
}

/** Returns one page of the runs of a repository, the oldest first. Throws `BadRequest` for an unknown status. */
export async function pageOfRuns(
  { db, repo }: RepoCtx,
  { statuses, ...rest }: RunQuery,
  page: Page,
): Promise<{ rows: readonly ActionRunRow[]; total: number }> {
  const filter = { repoId: repo.id, statuses: knownStatuses(statuses), ...rest }
  const [rows, total] = await rowsAndTotal(page, listRuns(db, filter, page), countRuns(db, filter))
  return { rows, total }
}

/** Returns a run of the repository by its id. Throws `NotFound`. */
export async function getRun({ db, repo }: Pick<RepoCtx, 'db' | 'repo'>, id: number): Promise<ActionRunRow> {
  const run = await findRun(db, repo.id, id as RunId)
  if (!run) throw new NotFound('the workflow run does not exist', 'run_not_found')
  return run
}

/** Returns the jobs of a run without what runners get. */
export const jobStatesOf = ({ db }: Pick<RepoCtx, 'db'>, { id }: Pick<ActionRunRow, 'id'>): Promise<JobState[]> =>
  listJobStates(db, id)

/** Returns a run of the repository by its number, which web addresses contain. Throws `NotFound`. */
export async function getRunNumbered(
  { db, repo }: Pick<RepoCtx, 'db' | 'repo'>,
  number: number,
): Promise<ActionRunRow> {
  const run = await findRunByNumber(db, repo.id, number)
  if (!run) throw new NotFound('the workflow run does not exist', 'run_not_found')
  return run
}

/** Returns one page of the tasks (attempts at jobs) of a repository, the newest first. */
export async function pageOfTasks(
  { db, repo }: RepoCtx,
  page: Page,
): Promise<{ rows: readonly TaskOfRun[]; total: number }> {
  const [rows, total] = await rowsAndTotal(page, listTasks(db, repo.id, page), countTasks(db, repo.id))
  return { rows, total }
}

/** Most jobs in the reply of a search, jobs per statement, and most jobs that a search examines. */
const maxJobsFound = 500
const jobsPerStatement = 500
const maxJobsExamined = 20_000

/**
 * Finds the waiting and running jobs of a scope that a runner with these labels can take, the newest first.
 * @returns the jobs, and whether the search stopped at a limit
 */
export async function findOpenJobs(
  { db }: Services,
  scope: QueueScope,
  labels: readonly string[],
): Promise<{ readonly jobs: readonly OpenJob[]; readonly isCut: boolean }> {
  const runnerLabels = new Set(labels)
  const found: OpenJob[] = []
  let before: ActionJobId | undefined
  for (let examined = 0; examined < maxJobsExamined && found.length < maxJobsFound; examined += jobsPerStatement) {
    const batch = await listOpenJobs(db, scope, before, jobsPerStatement)
    found.push(...batch.filter((job) => canRun(JSON.parse(job.runs_on) as string[], runnerLabels)))
    if (batch.length < jobsPerStatement) {
      return { jobs: found.slice(0, maxJobsFound), isCut: found.length > maxJobsFound }
    }
    before = batch.at(-1)?.id
  }
  return { jobs: found.slice(0, maxJobsFound), isCut: true }
}

/** A job without labels runs nowhere. */
const canRun = (runsOn: readonly string[], runnerLabels: ReadonlySet<string>): boolean =>
  runsOn.length > 0 && runsOn.every((label) => runnerLabels.has(label))
