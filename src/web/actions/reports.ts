import type { RepoCtx } from '../../access/context.ts'
import { pageOfAnnotations, summariesOf, type AnnotationPage } from '../../actions/logs/report.service.ts'
import type { ActionJobRow } from '../../db/tables/actions.ts'
import { renderTexts } from '../ui/render-texts.ts'

/** Most annotations of a page. */
const maxAnnotations = 50
/** Most bytes of Markdown of a page. */
const maxSummaryBytes = 512 * 1024

/** A rendered summary of a step. */
interface ShownSummary {
  readonly job: Pick<ActionJobRow, 'name' | 'position'>
  readonly html: string
}

/** What the steps of jobs attached to their jobs. */
export interface JobReports {
  readonly annotations: AnnotationPage
  /** The page of the annotations, from 1. */
  readonly number: number
  readonly isLast: boolean
  readonly summaries: readonly ShownSummary[]
  /** Whether further summaries are left out. */
  readonly isCut: boolean
}

type ReportingJob = Pick<ActionJobRow, 'name' | 'position' | 'task_id'>

/** Returns one page of the annotations of the newest attempts at jobs, and their summaries, within the budget of the request. */
export async function reportsOf(ctx: RepoCtx, jobs: readonly ReportingJob[], page = 1): Promise<JobReports> {
  const number = Math.max(1, page)
  const [annotations, { rows, isCut }] = await Promise.all([
    pageOfAnnotations(ctx, jobs, { number, limit: maxAnnotations, offset: (number - 1) * maxAnnotations }),
    summariesOf(ctx, jobs, maxSummaryBytes),
  ])
  const texts = rows.map(({ content }, index) => [index, content, `summary-${index}`] as const)
  const html = await renderTexts(ctx, texts)
  const jobAt = new Map(jobs.map((job) => [job.task_id, job]))
  const summaries = rows.flatMap(({ task_id: taskId }, index) => {
    const [job, text] = [jobAt.get(taskId), html.get(index) ?? '']
    return job && ctx.budget.tryTake('outputBytes', Buffer.byteLength(text)) ? [{ job, html: text }] : []
  })
  const isLast = number * maxAnnotations >= annotations.total
  return { annotations, number, isLast, summaries, isCut: isCut || summaries.length < rows.length }
}
