import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { EventId, UserId } from '../lib/ids.ts'
import { mayHear, type Subject } from './audience.store.ts'

/** The last account that was told of an event; undefined when nobody was yet. */
export const findLastNotified = async (db: Db, eventId: EventId): Promise<UserId | undefined> =>
  (await db.selectFrom('notified_event').select('last_user_id').where('event_id', '=', eventId).executeTakeFirst())
    ?.last_user_id

/**
 * Writes down how far people were told of an event.
 * @param from how far that was before
 * @returns false when somebody else has come further meanwhile
 */
export async function moveLastNotified(
  tx: Tx,
  eventId: EventId,
  from: UserId | undefined,
  to: UserId,
): Promise<boolean> {
  if (from === undefined) {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('notified_event')
      .values({ event_id: eventId, last_user_id: to })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }
  const { numUpdatedRows } = await tx
    .updateTable('notified_event')
    .set({ last_user_id: to })
    .where('event_id', '=', eventId)
    .where('last_user_id', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Tells those of some accounts who may hear of it: makes their threads about the subject, or moves the ones that are there
 * up. What was read is unread again; what is pinned stays so.
 */
export async function upsertThreads(
  tx: Tx,
  subject: Subject,
  { doerId, userIds, nowMs }: { readonly doerId: UserId; readonly userIds: readonly UserId[]; readonly nowMs: number },
): Promise<void> {
  const { repo, issue } = subject
  const kind = issue ? (issue.is_pull ? 'pull' : 'issue') : 'repository'
  const one = issue
    ? sql`(issue_id, user_id) where issue_id is not null`
    : sql`(repo_id, user_id) where issue_id is null`
  await sql`
    insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms)
    select "user".id, cast(${repo.id} as bigint), cast(${issue?.id ?? null} as bigint), ${sql.lit(kind)}, 'unread',
      cast(${Math.floor(nowMs / 1000)} as bigint), cast(${nowMs} as bigint)
    from "user"
    where "user".id in ${idList(tx, idListText(userIds))} and ${mayHear(subject, doerId)}
    on conflict ${one} do update set
      status = case when notification.status = 'pinned' then 'pinned' else 'unread' end,
      updated_ms = excluded.updated_ms`.execute(tx)
}
