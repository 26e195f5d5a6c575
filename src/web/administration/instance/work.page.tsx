import { Type } from 'typebox'
import { siteAdmin } from '../../../access/requirements.ts'
import { runTask } from '../../../admin/jobs/cron.service.ts'
import { getJobs, removeJob, retryJob } from '../../../admin/jobs/job.service.ts'
import { enumeration, pathNumber } from '../../../http/schema.ts'
import { pageOf } from '../../../lib/paging.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { JobsView, TasksView } from './work.view.tsx'
import { integer } from '../../ui/fields.ts'

/** Lists background jobs. */
export const administrationJobsPage = page({
  path: '/admin/jobs',
  twin: 'adminListJobs',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: {
    state: Type.Optional(enumeration('waiting', 'running', 'failed')),
    page: integer,
  },
  frame: inAdministration('jobs'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const { rows, total } = await getJobs(ctx, query.state, shown)
    return { rows, total, shown, state: query.state }
  },
  meta: () => ({ title: texts.jobs, isUnlisted: true }),
  view: JobsView,
})

export const administrationRetryJob = act({
  path: '/admin/jobs/{id}/retry',
  twin: 'adminRetryJob',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [siteAdmin],
  async run({ ctx, params }) {
    await retryJob(ctx, params.id)
    return { to: '/admin/jobs', notice: texts.job.retried }
  },
})

export const administrationForgetJob = act({
  path: '/admin/jobs/{id}/delete',
  twin: 'adminDeleteJob',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [siteAdmin],
  async run({ ctx, params }) {
    await removeJob(ctx, params.id)
    return { to: '/admin/jobs', notice: texts.job.forgotten }
  },
})

/** Lists scheduled tasks. */
export const administrationTasksPage = page({
  path: '/admin/monitor/cron',
  twin: 'adminCronList',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  frame: inAdministration('tasks'),
  load: async ({ ctx }) => ({ tasks: await ctx.tasks.list() }),
  meta: () => ({ title: texts.tasks, isUnlisted: true }),
  view: TasksView,
})

export const administrationRunTask = act({
  path: '/admin/monitor/cron/{task}',
  twin: 'adminCronRun',
  cost: 'usual',
  requires: [siteAdmin],
  async run({ ctx, params }) {
    await runTask(ctx, params.task)
    return { to: '/admin/monitor/cron', notice: texts.task.started(params.task) }
  },
})
