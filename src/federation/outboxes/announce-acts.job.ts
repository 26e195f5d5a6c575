import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { listActs } from '../../activity/feed.store.ts'
import { transaction } from '../../db/database.ts'
import { job, type Job } from '../../jobs/job.ts'
import type { UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { actActivity } from '../activity.rules.ts'
import { sendActivities, type Outgoing } from '../deliveries/deliver-activities.job.ts'
import { listFollowerInboxes, type FollowerInbox } from '../follows/follow.store.ts'
import { presentTold } from './act.present.ts'
import { findFollowedSince, insertTold, listTold } from './told.store.ts'

/** How far back acts are told, in seconds: what could not be told by then is no news. */
const newsSeconds = 86_400

/** Acts that are told at once; more within a day are told with the next one. */
const maxActs = 50

/**
 * Tells the followers of somebody on other servers what they did since the last time, as far as everybody may know of it. Each
 * act is told once, whatever stops in between.
 */
export const tellFollowers: Job<Services, { readonly userId: UserId }> = job({
  name: 'tellFollowers',
  input: Type.Object({ userId: Type.Unsafe<UserId>(Type.Integer()) }),
  merge: ({ userId }) => String(userId),
  lane: ({ userId }) => `told acts ${userId}`,
  run: (services: Services, { userId }) => tellActs(services, userId),
})

/** The same, now. */
export async function tellActs(services: Services, userId: UserId): Promise<void> {
  const { db, config, clock } = services
  const since = await findFollowedSince(db, userId)
  if (since === undefined) return
  const now = nowUnix(clock)
  const source = { of: 'account', id: userId, ownActsOnly: true } as const
  const during = { from: Math.max(since, now - newsSeconds), before: now + 1 }
  const acts = await listActs(db, undefined, { source, during }, maxActs)
  const known = await listTold(
    db,
    acts.map((act) => act.id),
  )
  const news = acts.filter((act) => !known.has(act.id)).toReversed()
  if (news.length === 0) return
  const told = await presentTold(services, news)
  await transaction(db, async (tx) => {
    const fresh = await insertTold(
      tx,
      told.map((act) => act.id),
      now,
    )
    const inboxes = distinctInboxes(await listFollowerInboxes(tx, userId))
    await sendActivities(
      tx,
      told
        .filter((act) => fresh.has(act.id))
        .flatMap((act) => {
          const activity = actActivity(config, act)
          return inboxes.map(({ server, inboxUrl }): Outgoing => ({ server, inboxUrl, sender: userId, activity }))
        }),
    )
  })
}

/** One inbox for all followers of a server, where it has one. */
function distinctInboxes(followers: readonly FollowerInbox[]): Pick<Outgoing, 'server' | 'inboxUrl'>[] {
  const inboxes = new Map<string, { server: Outgoing['server']; inboxUrl: string }>()
  for (const {
    server_id: id,
    failures,
    retry_at_ms: retryAtMs,
    inbox_url: own,
    shared_inbox_url: shared,
  } of followers) {
    const inboxUrl = shared === '' ? own : shared
    inboxes.set(inboxUrl, { server: { id, failures, retryAtMs }, inboxUrl })
  }
  return [...inboxes.values()]
}
