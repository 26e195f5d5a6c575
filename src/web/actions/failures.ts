import type { RepoCtx } from '../../access/context.ts'
import { attemptsAt, type Attempt } from '../../actions/logs/attempt.service.ts'
import { linesOf, type LogLine } from '../../actions/logs/log-page.service.ts'
import type { RunWithJobs } from '../../actions/runs/run-list.service.ts'
import type { JobState } from '../../actions/runs/run.store.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { failedSections, lineToShow, type LogSection } from './log-sections.rules.ts'
import { shownLine } from './log-text.rules.ts'

/** Most failed steps of a page. */
const maxFailures = 10
/** Lines of a failed step that are shown before the one at which it failed, and after it. */
const shownLines = { before: 11, after: 2 } as const
/** Lines that are read for those: blank lines and marks of groups are left out. */
const readBefore = 40

/** Measured cost in microseconds of reading some lines: at most two blocks of a log are split. */
const readingUs = 2500
/** Logs that are read at once. */
const atOnce = 3

/** A step that failed, with the lines of its log that matter. */
export interface Failure {
  readonly job: JobState
  /** Undefined for a job that failed without a log. */
  readonly section: LogSection | undefined
  /** The line at which it failed, from 0; undefined without lines. */
  readonly at: number | undefined
  /** Empty as well when the log has expired, or the request has no room for more. */
  readonly lines: readonly LogLine[]
  readonly isExpired: boolean
}

export interface Failures {
  readonly shown: readonly Failure[]
  /** The number of jobs that failed. */
  readonly jobCount: number
  /** The number of failed jobs without a line here. */
  readonly leftJobs: number
}

/**
 * Returns the steps of a run that failed, with the ends of their logs. Each is read from its offset. A problem of the workflow file is not among them.
 */
export async function failuresOf(ctx: RepoCtx, { run, jobs }: RunWithJobs): Promise<Failures> {
  const failed = failedJobs(jobs).filter((job) => run.problem === '' || job.task_id !== null)
  const attempts = await attemptsAt(ctx, failed.slice(0, maxFailures))
  const all = failed.slice(0, maxFailures).flatMap((job) => stepsOf(job, attempts.get(job.id)))
  const shown = await mapLimited(all.slice(0, maxFailures), atOnce, async ({ job, attempt, section }) => {
    const at = attempt && section && lineToShow(section, attempt)
    const isExpired = attempt?.task.log_state === 'expired'
    const isShown = attempt && section && at !== undefined && !isExpired
    return { job, section, at, isExpired, lines: isShown ? await linesAround(ctx, attempt, section, at) : [] }
  })
  const named = new Set(shown.map(({ job }) => job.id))
  return { shown, jobCount: failed.length, leftJobs: failed.filter(({ id }) => !named.has(id)).length }
}

/** Returns the jobs that failed. A call fails with its jobs, unless it has none. */
function failedJobs(jobs: readonly JobState[]): readonly JobState[] {
  const failed = jobs.filter(({ status }) => status === 'failure')
  const own = failed.filter((job) => !job.is_call)
  return own.length > 0 ? own : failed
}

interface FailedStep {
  readonly job: JobState
  readonly attempt: Attempt | undefined
  readonly section: LogSection | undefined
}

function stepsOf(job: JobState, attempt: Attempt | undefined): readonly FailedStep[] {
  const sections = attempt ? failedSections(attempt) : []
  return sections.length === 0
    ? [{ job, attempt, section: undefined }]
    : sections.map((section) => ({ job, attempt, section }))
}

/** Returns the lines around the one at which a step failed that say something. */
async function linesAround(
  ctx: RepoCtx,
  { task }: Attempt,
  section: LogSection,
  at: number,
): Promise<readonly LogLine[]> {
  if (!ctx.budget.tryTake('processorUs', readingUs)) return []
  const from = Math.max(section.from, at - readBefore)
  const to = Math.min(section.to, at + 1 + shownLines.after)
  const { lines } = await linesOf(ctx, task, from, to - from)
  const saying = lines.filter(({ text }) => saysSomething(text))
  const last = saying.findLastIndex(({ index }) => index <= at)
  return saying
    .slice(Math.max(0, last - shownLines.before))
    .filter(({ text }) => ctx.budget.tryTake('outputBytes', text.length))
}

function saysSomething(text: string): boolean {
  const line = shownLine(text)
  return 'parts' in line && line.kind !== 'debug' && line.parts.some((part) => part.text.trim() !== '')
}
