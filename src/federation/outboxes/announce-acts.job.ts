import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { listActs } from '../../activity/feed.store.ts'
import { transaction } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import { job, type Job } from '../../jobs/job.ts'
import type { UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { actActivity } from '../activity.rules.ts'
import { sendActivities, type OutgoingActivity } from '../deliveries/deliver-activities.job.ts'
import { listFollowerInboxes, type FollowerInbox } from '../follows/follow.store.ts'
import { presentPublicActs } from './act.present.ts'
import { findFollowedSince, insertAnnounced, listAnnounced } from './announced-act.store.ts'

/** Age up to which acts are announced, in seconds. */
const maxAgeSeconds = 86_400

/** Most acts of one run; the run after the next act announces the others. */
const maxActs = 50

/** Announces the public acts of an account to its remote followers. Each act is announced once, also after a crash. */
export const announceActsToFollowers: Job<Services, { readonly userId: UserId }> = job({
  name: 'tellFollowers',
  input: Type.Object({ userId: Type.Unsafe<UserId>(Type.Integer()) }),
  merge: ({ userId }) => String(userId),
  lane: ({ userId }) => `told acts ${userId}`,
  run: (services: Services, { userId }) => announceActs(services, userId),
})

export async function announceActs(services: Services, userId: UserId): Promise<void> {
  const { db, config, clock } = services
  const since = await findFollowedSince(db, userId)
  if (since === undefined) return
  const now = nowUnix(clock)
  const source = { of: 'account', id: userId, ownActsOnly: true } as const
  const during = { from: Math.max(since, now - maxAgeSeconds), before: now + 1 }
  const acts = await listActs(db, undefined, { source, during }, maxActs)
  const known = await listAnnounced(db, pluck(acts, 'id'))
  const unannounced = acts.filter((act) => !known.has(act.id)).toReversed()
  if (unannounced.length === 0) return
  const presented = await presentPublicActs(services, unannounced)
  await transaction(db, async (tx) => {
    const fresh = await insertAnnounced(
      tx,
      presented.map((act) => act.id),
      now,
    )
    const inboxes = distinctInboxes(await listFollowerInboxes(tx, userId))
    await sendActivities(
      tx,
      presented
        .filter((act) => fresh.has(act.id))
        .flatMap((act) => {
          const activity = actActivity(config, act)
          return inboxes.map(({ serverId, inboxUrl }): OutgoingActivity => ({
            serverId,
            inboxUrl,
            sender: userId,
            activity,
          }))
        }),
    )
  })
}

/** Returns each inbox once; the shared inbox stands for all followers of its server. */
function distinctInboxes(followers: readonly FollowerInbox[]): Pick<OutgoingActivity, 'serverId' | 'inboxUrl'>[] {
  const serverIds = new Map(followers.map((each) => [each.shared_inbox_url || each.inbox_url, each.server_id]))
  return [...serverIds].map(([inboxUrl, serverId]) => ({ serverId, inboxUrl }))
}
