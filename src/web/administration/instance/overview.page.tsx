import { siteAdmin } from '../../../access/requirements.ts'
import { checkHealth } from '../../../admin/health.service.ts'
import { getQueueStats } from '../../../jobs/queue.ts'
import { Refusal } from '../../../lib/errors.ts'
import { findPeople } from '../../../users/user.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { sentenceOf } from '../../shell/sentence.ts'
import { inAdministration } from '../administration-frame.tsx'
import { OverviewView } from './overview.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'

const onlyTheTotal = { number: 1, limit: 1, offset: 0 }

/** Returns what is wrong with database or disks; undefined when all is well. */
const problemOf = async (check: Promise<void>): Promise<string | undefined> => {
  try {
    await check
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return sentenceOf(error.message)
    throw error
  }
}

/** Shows whether the instance is well, and why not. */
export const administrationPage = page({
  path: '/admin',
  twin: null,
  cost: 'usual',
  requires: [inSession, siteAdmin],
  frame: inAdministration('overview'),
  async load({ ctx }) {
    const [problem, queue, tasks, people] = await Promise.all([
      problemOf(checkHealth(ctx)),
      getQueueStats(ctx.db),
      ctx.tasks.list(),
      findPeople(ctx, { text: '' }, onlyTheTotal),
    ])
    return {
      problem,
      queue,
      failedTasks: tasks.filter(({ lastError }) => lastError !== ''),
      people: people.total,
      database: ctx.config.database.dbType === 'postgres' ? 'PostgreSQL' : 'SQLite',
      address: ctx.config.server.rootUrl,
      memoryBytes: process.memoryUsage.rss(),
      uptimeSeconds: Math.floor(process.uptime()),
    }
  },
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: OverviewView,
})
