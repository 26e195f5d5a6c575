import { Type } from 'typebox'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { presentTasks } from './cron.present.ts'
import { Cron } from './cron.schemas.ts'
import { runTask } from './cron.service.ts'

export const adminCronList = operation({
  method: 'GET',
  path: '/admin/cron',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Cron) },
  summary: 'List the scheduled tasks',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const tasks = await ctx.tasks.list()
    const shown = tasks.slice(page.offset, page.offset + page.limit)
    return paged(presentTasks(shown), page, tasks.length, { link: false })
  },
})

export const adminCronRun = operation({
  method: 'POST',
  path: '/admin/cron/{task}',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  reply: { 204: 'empty' },
  summary: 'Run a scheduled task',
  run: ({ ctx, params }) => runTask(ctx, params.task),
})
