import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { EventId, UserId } from '../lib/ids.ts'
import { audienceOf, type ToldEvent } from './audience.service.ts'
import { findLastNotified, moveLastNotified, upsertThreads } from './notify.store.ts'

/** People who are told in one transaction: others wait for it on SQLite. */
const toldAtOnce = 500

/**
 * Tells people of an event, some at a time and each once: a second run goes on where the first one ended, so that what
 * somebody has read meanwhile stays read.
 */
export async function notifyOf(
  services: Services,
  event: ToldEvent,
  { eventId, signal }: { readonly eventId: EventId | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const audience = await audienceOf(services, event)
  if (!audience) return
  const { db, clock } = services
  const { subject, doerId, named, concerned } = audience
  const everybody = [...new Set([...named, ...concerned])].sort((one, other) => one - other)
  let last = eventId === undefined ? undefined : await findLastNotified(db, eventId)
  const waiting = last === undefined ? everybody : everybody.filter((id) => id > (last as UserId))
  for (let start = 0; start < waiting.length; start += toldAtOnce) {
    signal.throwIfAborted()
    const userIds = waiting.slice(start, start + toldAtOnce)
    const to = userIds.at(-1) as UserId
    const from = last
    const isMine = await transaction(db, async (tx) => {
      if (eventId !== undefined && !(await moveLastNotified(tx, eventId, from, to))) return false
      await upsertThreads(tx, subject, { doerId, userIds, nowMs: clock.nowMs() })
      return true
    })
    // Another worker took the job over and has come further.
    if (!isMine) return
    last = to
  }
}
