import type { RepoCtx } from '../../access/context.ts'
import type { ActionAnnotationRow, AnnotationLevel } from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Oid, RunId } from '../../lib/ids.ts'
import { listRunsOfCommit, listTakenJobs, type RunOfCommit, type TakenJob } from '../runs/run-list.store.ts'
import { countAnnotationsByTask, listAnnotationsOfFiles } from './annotation.store.ts'

/** Runs of a commit that are looked at, and jobs of the newest ones. */
const maxRuns = 100
const maxJobs = 200

/** An annotation with the job that made it. */
export interface CommitAnnotation {
  readonly annotation: ActionAnnotationRow
  readonly job: TakenJob
  readonly run: RunOfCommit
}

/** A run with the numbers of its annotations. */
export interface AnnotatedRun {
  readonly run: RunOfCommit
  readonly counts: Readonly<Record<AnnotationLevel, number>>
}

/** What the newest run of each workflow for a commit says about files. */
export interface CommitAnnotations {
  /** Those about lines of the files, errors first. */
  readonly rows: readonly CommitAnnotation[]
  /** Whether further ones are left out. */
  readonly isCut: boolean
  /** The runs with annotations, the newest first. */
  readonly runs: readonly AnnotatedRun[]
}

const none: CommitAnnotations = { rows: [], isCut: false, runs: [] }

/** Returns the annotations for a commit, if runs are switched on and the viewer may read them. @param limit most annotations */
export async function annotationsOfCommit(
  { config, db, repo, rights }: Pick<RepoCtx, 'config' | 'db' | 'repo' | 'rights'>,
  oid: Oid,
  paths: readonly string[],
  limit: number,
): Promise<CommitAnnotations> {
  if (!config.actions.enabled || rights.modeOf('actions') === 0) return none
  const runs = newestOfEach(await listRunsOfCommit(db, repo.id, oid, maxRuns))
  const jobs = runs.length === 0 ? [] : await listTakenJobs(db, pluck(runs, 'id'), maxJobs)
  const tasks = pluck(jobs, 'task_id')
  if (tasks.length === 0) return none
  const [counts, rows] = await Promise.all([
    countAnnotationsByTask(db, tasks),
    paths.length === 0 ? [] : listAnnotationsOfFiles(db, tasks, paths, limit + 1),
  ])
  const jobOf = new Map(jobs.map((job) => [job.task_id, job]))
  const runOf = new Map(runs.map((run) => [run.id, run]))
  const shown = rows.slice(0, limit).flatMap((annotation) => {
    const job = jobOf.get(annotation.task_id)
    const run = job && runOf.get(job.run_id)
    return run ? [{ annotation, job, run }] : []
  })
  const countsOf = Map.groupBy(counts, ({ task_id: id }) => jobOf.get(id)?.run_id as RunId)
  const annotated = runs.flatMap((run): readonly AnnotatedRun[] => {
    const own = countsOf.get(run.id) ?? []
    const of = (level: AnnotationLevel): number =>
      own.reduce((sum, each) => sum + (each.level === level ? each.total : 0), 0)
    return own.length === 0
      ? []
      : [{ run, counts: { error: of('error'), warning: of('warning'), notice: of('notice') } }]
  })
  return { rows: shown, isCut: rows.length > limit, runs: annotated }
}

/** Returns the newest run of each workflow. Runs of strangers replace no others: anyone may run a commit of somebody else. */
function newestOfEach(runs: readonly RunOfCommit[]): readonly RunOfCommit[] {
  const newest = new Map<string, RunOfCommit>()
  for (const run of runs) {
    const name = `${Number(run.is_foreign)} ${run.workflow_id}`
    if (!newest.has(name)) newest.set(name, run)
  }
  return [...newest.values()]
}
