import type { RepoCtx, Services } from '../../access/context.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { totalOf, type Page } from '../../lib/paging.ts'
import type { QueueScope } from '../queue-scope.ts'
import { isStatus } from '../status.rules.ts'
import { countRuns, findRun, findRunByNumber, listRuns } from './run.store.ts'
import { countTasks, listOpenJobs, listTasks, type OpenJob, type TaskOfRun } from './task.store.ts'

/** What a list of runs is asked for, as it was sent. */
export interface RunQuery {
  readonly events: readonly string[]
  readonly statuses: readonly string[]
  readonly number: number | undefined
  readonly sha: string | undefined
}

/** One page of the runs of a repository, the oldest first. A status that is none is `BadRequest`. */
export async function pageOfRuns(
  { db, repo }: RepoCtx,
  { statuses, ...rest }: RunQuery,
  page: Page,
): Promise<{ rows: readonly ActionRunRow[]; total: number }> {
  const known = statuses.filter(isStatus)
  if (known.length < statuses.length) {
    throw new BadRequest(`${statuses.find((each) => !isStatus(each))} is no status of a run`, 'run_status_unknown')
  }
  const filter = { repoId: repo.id, statuses: known, ...rest }
  const [rows, total] = await Promise.all([listRuns(db, filter, page), countRuns(db, filter)])
  return { rows, total }
}

/** A run of the repository by its id; any other is `NotFound`. */
export async function getRun({ db, repo }: Pick<RepoCtx, 'db' | 'repo'>, id: number): Promise<ActionRunRow> {
  const run = await findRun(db, repo.id, id as RunId)
  if (!run) throw new NotFound('there is no such run', 'run_not_found')
  return run
}

/** A run of the repository by its number, as pages name it; any other is `NotFound`. */
export async function getRunNumbered(
  { db, repo }: Pick<RepoCtx, 'db' | 'repo'>,
  number: number,
): Promise<ActionRunRow> {
  const run = await findRunByNumber(db, repo.id, number)
  if (!run) throw new NotFound('there is no such run', 'run_not_found')
  return run
}

/** One page of the attempts at jobs, the newest first. */
export async function pageOfTasks(
  { db, repo }: RepoCtx,
  page: Page,
): Promise<{ rows: readonly TaskOfRun[]; total: number }> {
  const [rows, total] = await Promise.all([listTasks(db, repo.id, page), countTasks(db, repo.id)])
  return { rows, total: totalOf(total, page, rows.length) }
}

/** Most jobs that a search gives, and how many are looked at for them. */
const maxJobsFound = 500
const jobsAtOnce = 500
const maxJobsSeen = 20_000

/**
 * Jobs of a scope that wait or run and that a runner with these labels may take, the newest first.
 * @returns the jobs, and whether there may be further ones
 */
export async function findOpenJobs(
  { db }: Services,
  scope: QueueScope,
  labels: readonly string[],
): Promise<{ readonly jobs: readonly OpenJob[]; readonly isCut: boolean }> {
  const has = new Set(labels)
  const found: OpenJob[] = []
  let before: ActionJobId | undefined
  for (let seen = 0; seen < maxJobsSeen && found.length < maxJobsFound; seen += jobsAtOnce) {
    const some = await listOpenJobs(db, scope, before, jobsAtOnce)
    found.push(...some.filter((job) => isTakenBy(JSON.parse(job.runs_on) as string[], has)))
    if (some.length < jobsAtOnce) return { jobs: found.slice(0, maxJobsFound), isCut: found.length > maxJobsFound }
    before = some.at(-1)?.id
  }
  return { jobs: found.slice(0, maxJobsFound), isCut: true }
}

/** A job that asks for nothing is nobody's. */
const isTakenBy = (wanted: readonly string[], has: ReadonlySet<string>): boolean =>
  wanted.length > 0 && wanted.every((label) => has.has(label))
