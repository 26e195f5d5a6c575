import type { Services } from '../access/context.ts'
import type { EventId } from '../lib/ids.ts'
import { audienceOf, type NotifiedEvent } from './audience.service.ts'
import { causeOf, reasonOfNaming, textsOfEvent } from './cause.rules.ts'
import { holdCause, upsertThreads } from './notify.store.ts'
import { deliverInBatches } from './progress.service.ts'

/** Creates or updates the threads of an event's recipients. A thread read since an earlier run of the job stays read. */
export async function notifyOf(
  services: Services,
  event: NotifiedEvent,
  { eventId, signal }: { readonly eventId: EventId; readonly signal: AbortSignal },
): Promise<void> {
  const audience = await audienceOf(services, event, 'thread')
  if (!audience) return
  const { subject, doerId, named, concerned } = audience
  const mentionedIds = 'mentioned' in event.data ? (event.data.mentioned ?? []) : []
  const cause = causeOf(event)
  const move = {
    ...{ doerId, nowMs: services.clock.nowMs(), cause: textsOfEvent(event), mentionedIds },
    participantIds: concerned.ids,
    reason: reasonOfNaming(event),
  }
  await deliverInBatches(
    services.db,
    { table: 'notified_event', eventId, signal },
    { ...concerned, ids: [...named, ...concerned.ids] },
    async (tx, userIds) => {
      // The comment or review may have been deleted since the recipients were found.
      if (cause && !(await holdCause(tx, cause))) return
      await upsertThreads(tx, subject, { ...move, userIds })
    },
  )
}
