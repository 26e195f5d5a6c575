import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { attemptsAt, type Attempt } from '../../actions/logs/attempt.service.ts'
import { linesOf, searchLog } from '../../actions/logs/log-page.service.ts'
import { matchRunners } from '../../actions/runners/runner-match.service.ts'
import { getJobOf, getRunWithJobs } from '../../actions/runs/run-list.service.ts'
import { pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { mayOf } from './actions-rights.ts'
import { JobView, SectionView } from './job.view.tsx'
import {
  failedSections,
  lineToShow,
  maxLines,
  sectionsOf,
  sectionToOpen,
  type LogSection,
} from './log-sections.rules.ts'
import { reportsOf } from './reports.ts'
import { runStateOf } from './run-state.ts'
import { actionsTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const

/** Returns a job with its run, the newest attempt and the sections of its log. */
export async function loadJob(ctx: RepoCtx, number: number, position: number) {
  const found = await getRunWithJobs(ctx, number)
  // Read before the log, so that what comes later is seen as a change.
  const state = await runStateOf(ctx, found)
  const job = await getJobOf(ctx, found.run, position)
  const attempt = (await attemptsAt(ctx, [job])).get(job.id)
  const sections = attempt ? sectionsOf(attempt.task, attempt.steps) : []
  const { owner, repo } = ctx
  return { owner, repo, ...found, state, job, attempt, sections, position, may: mayOf(ctx) }
}

/** Returns the last lines of a section, or those before a line. */
async function linesOfSection(ctx: RepoCtx, { task }: Attempt, section: LogSection, before = section.to) {
  const to = Math.min(section.to, Math.max(section.from, before))
  const from = Math.max(section.from, to - maxLines)
  if (from >= to || task.log_state === 'expired') return { lines: [], from, to }
  const { lines } = await linesOf(ctx, task, from, to - from)
  return { lines, from, to }
}

type Loaded = Awaited<ReturnType<typeof loadJob>>

/** Returns the section that the page opens, and its line to look at first: the wanted one, or the one at which the job failed. */
function placeToOpen({ job, attempt, sections }: Loaded, wanted: number | undefined) {
  const at = wanted === undefined ? undefined : wanted - 1
  const around = at === undefined ? undefined : sections.find(({ from, to }) => from <= at && at < to)
  if (around) return { section: around, at }
  const failed = attempt && job.status === 'failure' ? failedSections(attempt)[0] : undefined
  const section = failed ?? sectionToOpen(sections)
  const hasFailed = section?.status === 'failure' || failed !== undefined
  return { section, at: attempt && section && hasFailed ? lineToShow(section, attempt) : undefined }
}

/** Returns the line before which a section is shown: its end, unless the line to look at is too far from it. */
const shownBefore = ({ to }: LogSection, at: number | undefined): number =>
  at === undefined || at >= to - maxLines ? to : Math.min(to, at + maxLines / 2)

/**
 * A job: its steps with their logs. The failed or running step is open, or the one with a line; others are loaded when they are
 * opened.
 */
export const jobPage = page({
  path: '/{username}/{reponame}/actions/runs/{number}/jobs/{position}',
  twin: 'listWorkflowJobLogLines',
  requires: readable,
  params: { number: pathNumber, position: pathNumber },
  query: { q: text, line: integer, page: integer },
  // A search reads the whole log.
  cost: 'expensive',
  frame: inRepositoryFrame('actions'),
  async load({ ctx, params, query }) {
    const loaded = await loadJob(ctx, params.number, params.position)
    const { attempt } = loaded
    const text = query.q?.trim() ?? ''
    const search =
      text === '' || !attempt || attempt.task.log_state === 'expired'
        ? undefined
        : { text, ...(await searchLog(ctx, attempt.task, text)) }
    const { section, at } = placeToOpen(loaded, query.line)
    const opened =
      section && attempt && !search
        ? { section, at, ...(await linesOfSection(ctx, attempt, section, shownBefore(section, at))) }
        : undefined
    const { job } = loaded
    const runners = job.status === 'waiting' ? await matchRunners(ctx, [job.runs_on]) : undefined
    const reports = await reportsOf(ctx, [job], query.page)
    return { ...loaded, search, opened, reports, runner: runners?.get(job.runs_on) }
  },
  meta: ({ job, run }) => ({ title: texts.job.title(job.name, run.number), withFurtherStyles: true }),
  view: JobView,
})

/** One section of the log of a job. */
export const jobSectionPage = page({
  path: '/{username}/{reponame}/actions/runs/{number}/jobs/{position}/steps/{section}',
  twin: 'listWorkflowJobLogLines',
  cost: 'usual',
  requires: readable,
  params: { number: pathNumber, position: pathNumber, section: pathNumber },
  query: { before: integer },
  frame: inRepositoryFrame('actions'),
  async load({ ctx, params, query }) {
    const loaded = await loadJob(ctx, params.number, params.position)
    const section = loaded.sections.find(({ number }) => number === params.section)
    if (!section || !loaded.attempt) throw new NotFound('the step does not exist', 'step_not_found')
    return { ...loaded, section, ...(await linesOfSection(ctx, loaded.attempt, section, query.before)) }
  },
  meta: ({ job, run }) => ({ title: texts.job.title(job.name, run.number), isUnlisted: true, withFurtherStyles: true }),
  view: SectionView,
})
