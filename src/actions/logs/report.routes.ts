import { Type } from 'typebox'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { headersOfCut, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { pageOf } from '../../lib/paging.ts'
import { renderText } from '../../site/render.service.ts'
import { getJob } from '../runs/run-control.service.ts'
import { getRun, jobStatesOf } from '../runs/run.service.ts'
import { presentAnnotations } from './report.present.ts'
import { JobAnnotation, JobSummary } from './report.schemas.ts'
import { pageOfAnnotations, summariesOf } from './report.service.ts'
import { maxSummariesBytes } from './summary.rules.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const

/** The jobs in order, the annotations of each as its log contains them. */
export const listWorkflowRunAnnotations = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}/annotations',
  cost: 'usual',
  params: { run_id: pathNumber },
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: Type.Array(JobAnnotation) },
  summary: 'List the annotations of the jobs of a workflow run',
  async run({ ctx, params, query }) {
    const run = await getRun(ctx, params.run_id)
    const jobs = await jobStatesOf(ctx, run)
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfAnnotations(ctx, jobs, page)
    return paged(presentAnnotations(ctx, run, jobs, rows), page, total)
  },
})

export const listWorkflowJobAnnotations = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/annotations',
  cost: 'usual',
  params: { job_id: pathNumber },
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: Type.Array(JobAnnotation) },
  summary: 'List the annotations of a job',
  async run({ ctx, params, query }) {
    const { job, run } = await getJob(ctx, params.job_id)
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfAnnotations(ctx, [job], page)
    return paged(presentAnnotations(ctx, run, [job], rows), page, total)
  },
})

/** Most summaries that are rendered at once. */
const atOnce = 4

/** Steps beyond the size of an answer are left out, and texts beyond the budget of the request are not rendered. */
export const getWorkflowJobSummary = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/summary',
  cost: 'usual',
  params: { job_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: JobSummary },
  summary: 'Get what the steps of a job wrote to their summaries',
  async run({ ctx, params }) {
    const { job } = await getJob(ctx, params.job_id)
    const context = `${ctx.owner.name}/${ctx.repo.name}`
    const { rows } = await summariesOf(ctx, [job], maxSummariesBytes)
    const fits = (text: string): boolean => ctx.budget.tryTake('outputBytes', Buffer.byteLength(JSON.stringify(text)))
    const shown = rows.filter(({ content }) => fits(content))
    const steps = await mapLimited(shown, atOnce, async ({ position, content }) => {
      const html = await renderText(ctx, content, 'comment', { context, idScope: `summary-${position}` }, ctx)
      return { number: position, content, html: fits(html) ? html : null }
    })
    return ok({ steps }, headersOfCut(shown.length < rows.length))
  },
})
