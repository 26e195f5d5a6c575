import type { Services } from '../access/context.ts'
import type { EventId } from '../lib/ids.ts'
import { audienceOf, type ToldEvent } from './audience.service.ts'
import { threadsAtOnce, upsertThreads } from './notify.store.ts'
import { tellInTurns } from './progress.service.ts'

/** Makes or moves the threads of those whom an event is told to. What somebody has read since an earlier run stays read. */
export async function notifyOf(
  services: Services,
  event: ToldEvent,
  { eventId, signal }: { readonly eventId: EventId | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const audience = await audienceOf(services, event, 'thread')
  if (!audience) return
  const { subject, doerId, named, concerned } = audience
  await tellInTurns(
    services.db,
    { table: 'notified_event', eventId, signal, atOnce: threadsAtOnce(services.db) },
    { ...concerned, ids: [...named, ...concerned.ids] },
    (tx, userIds) => upsertThreads(tx, subject, { doerId, userIds, nowMs: services.clock.nowMs() }),
  )
}
