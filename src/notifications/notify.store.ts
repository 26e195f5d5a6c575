import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { hasRow } from '../db/rows.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import { mayHear, type Subject } from './audience.store.ts'
import type { Cause, CauseTexts } from './cause.rules.ts'

/** An update of threads: the recipients, the doer, the time and the cause. */
export interface ThreadMove {
  readonly doerId: UserId
  readonly userIds: readonly UserId[]
  readonly nowMs: number
  readonly cause: CauseTexts
  /** The recipients whom the text of the event mentions. */
  readonly mentionedIds: readonly UserId[]
}

/**
 * Locks the comment or review of an event and returns whether it exists. It cannot be deleted before the transaction ends:
 * either the deletion sees the threads of this transaction, or this transaction sees the deletion.
 */
export async function holdCause(tx: Tx, { table, id }: Cause): Promise<boolean> {
  const query = tx.selectFrom(table).select('id').where('id', '=', id)
  return hasRow(query.forShare())
}

/**
 * Retracts a deleted comment or review: unread threads that it created are deleted, threads that were read become read again,
 * and no thread names it as its cause.
 */
export async function retractThreads(tx: Tx, issueId: IssueId, cause: CauseTexts): Promise<void> {
  const causes = [cause.usual, cause.mention]
  await tx
    .deleteFrom('notification')
    .where('issue_id', '=', issueId)
    .where('cause', 'in', causes)
    .where('status', '=', 'unread')
    .where('earlier_status', 'is', null)
    .execute()
  await tx
    .updateTable('notification')
    .set({
      status: sql`case when status = 'unread' and earlier_status = 'read' then 'read' else status end`,
      cause: '',
      earlier_status: null,
    })
    .where('issue_id', '=', issueId)
    .where('cause', 'in', causes)
    .execute()
}

/**
 * Creates or updates the thread about a subject for each given account that may receive it. A read thread becomes unread; a
 * pinned thread stays pinned.
 */
export async function upsertThreads(
  tx: Tx,
  subject: Subject,
  { doerId, userIds, nowMs, cause, mentionedIds }: ThreadMove,
): Promise<void> {
  const { repo, issue } = subject
  const kind = issue ? (issue.is_pull ? 'pull' : 'issue') : 'repository'
  const one = issue
    ? sql`(issue_id, user_id) where issue_id is not null`
    : sql`(repo_id, user_id) where issue_id is null`
  const itsCause =
    mentionedIds.length === 0
      ? sql`${cause.usual}`
      : sql`case when "user".id in ${idList(tx, idListText(mentionedIds))} then cast(${cause.mention} as text)
          else ${cause.usual} end`
  await sql`
    insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms,
      cause)
    select "user".id, cast(${repo.id} as bigint), cast(${issue?.id ?? null} as bigint), ${sql.lit(kind)}, 'unread',
      cast(${Math.floor(nowMs / 1000)} as bigint), cast(${nowMs} as bigint), ${itsCause}
    from "user"
    where "user".id in ${idList(tx, idListText(userIds))} and "user".id <> ${doerId} and ${mayHear(subject, doerId)}
    on conflict ${one} do update set
      status = case when notification.status = 'pinned' then 'pinned' else 'unread' end,
      updated_ms = excluded.updated_ms, cause = excluded.cause, earlier_status = notification.status`.execute(tx)
}
