import { setImmediate as otherWork } from 'node:timers/promises'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { EventId, UserId } from '../lib/ids.ts'
import type { NotifiedPeople } from './audience.service.ts'
import { findLastNotified, moveLastNotified, type ProgressTable } from './progress.store.ts'

/** People who are told in one transaction: other writes wait for it on SQLite. */
const atOnce = 250

/** What is told by whom, how far it has come, and when to stop. */
export interface TurnOptions {
  readonly table: ProgressTable
  readonly eventId: EventId
  readonly signal: AbortSignal
}

/**
 * Tells people of an event, some in each transaction, by their ids, and everybody once: a second run goes on where the
 * first one ended.
 */
export async function notifyInTurns(
  db: Db,
  { table, eventId, signal }: TurnOptions,
  people: NotifiedPeople,
  tell: (tx: Tx, userIds: readonly UserId[]) => Promise<void>,
): Promise<void> {
  let from = await findLastNotified(db, table, eventId)
  for (;;) {
    // SQLite answers at once: without this, requests would wait until all people are told.
    await otherWork()
    signal.throwIfAborted()
    const { userIds, isEnd } = await nextTurn(people, from ?? nobody)
    const to = userIds.at(-1)
    if (to === undefined) return
    const turn = { from, to }
    const isMine = await transaction(db, async (tx) => {
      if (!(await moveLastNotified(tx, table, eventId, turn))) return false
      await tell(tx, userIds)
      return true
    })
    // Otherwise another worker took the job over and has come further.
    if (isEnd || !isMine) return
    from = to
  }
}

/** Before the first account. */
const nobody = 0 as UserId

/** Who is told next, after the account that was told last. */
async function nextTurn(
  { ids, more }: NotifiedPeople,
  last: UserId,
): Promise<{ readonly userIds: readonly UserId[]; readonly isEnd: boolean }> {
  const some = more ? await more(last, atOnce) : []
  // Between two full answers nobody of the others may be left out.
  const upTo = some.length < atOnce ? Number.POSITIVE_INFINITY : (some.at(-1) as UserId)
  const others = ids.filter((id) => id > last && id <= upTo)
  const all = [...new Set([...some, ...others])].sort((one, other) => one - other)
  return { userIds: all.slice(0, atOnce), isEnd: some.length < atOnce && all.length <= atOnce }
}
