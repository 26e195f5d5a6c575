import type { Ctx } from '../access/context.ts'
import { program } from '../lib/program.ts'
import { nowUnix } from '../lib/time.ts'
import { countActivePeople, countPosts } from './node-info.store.ts'
import type { NodeInfo, NodeInfoUsage } from './version.schemas.ts'

const daySeconds = 24 * 60 * 60

/** Figures are counted at most once per this time, because anyone may request them and counting reads every issue. */
const figuresAgeSeconds = 60

const figures = new WeakMap<Ctx['db'], { readonly untilUnix: number; readonly usage: Promise<NodeInfoUsage> }>()

async function countUsage(ctx: Ctx): Promise<NodeInfoUsage> {
  const now = nowUnix(ctx.clock)
  const [people, written] = await Promise.all([
    countActivePeople(ctx.db, { halfYear: now - 180 * daySeconds, month: now - 30 * daySeconds }),
    countPosts(ctx.db),
  ])
  const users = ctx.config.federation.shareUserStatistics
    ? { total: people.total, activeHalfyear: people.halfYear, activeMonth: people.month }
    : {}
  return { users, localPosts: written.posts, localComments: written.comments }
}

function usageOf(ctx: Ctx): Promise<NodeInfoUsage> {
  const now = nowUnix(ctx.clock)
  const known = figures.get(ctx.db)
  if (known !== undefined && known.untilUnix > now) return known.usage
  const usage = countUsage(ctx).catch((error: unknown) => {
    figures.delete(ctx.db) // A failure is not kept: the next request counts again.
    throw error
  })
  figures.set(ctx.db, { untilUnix: now + figuresAgeSeconds, usage })
  return usage
}

/** Presents the instance as nodeinfo 2.1. */
export const presentNodeInfo = async (ctx: Ctx): Promise<NodeInfo> => ({
  version: '2.1',
  software: {
    name: program.name,
    version: program.version,
    repository: program.repository,
    homepage: program.homepage,
  },
  protocols: ['activitypub'],
  services: { inbound: [], outbound: ctx.config.other.enableFeed ? ['rss2.0'] : [] },
  openRegistrations: !ctx.config.service.disableRegistration,
  usage: await usageOf(ctx),
  metadata: {},
})
