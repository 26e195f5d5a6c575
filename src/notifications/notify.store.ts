import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { hasRow } from '../db/rows.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import { threadReasons, type ThreadReason } from '../db/tables/notifications.ts'
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
  /** Those who take part in the subject. */
  readonly participantIds: readonly UserId[]
  /** The reason of all recipients of an event that names them; undefined for other events. */
  readonly reason: ThreadReason | undefined
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
      reason: sql`coalesce(earlier_reason, reason)`,
      earlier_reason: null,
    })
    .where('issue_id', '=', issueId)
    .where('cause', 'in', causes)
    .execute()
}

/** Returns the place of a reason in the order of strength, from 0. */
const rankOf = (reason: RawBuilder<unknown>) =>
  sql`case ${reason} ${sql.join(
    threadReasons.map((each, rank) => sql`when ${sql.lit(each)} then ${sql.lit(rank)}`),
    sql` `,
  )} end`

/** Returns the strongest reason for which a row of the query's table `user` hears of an event. */
function reasonIn(
  tx: Tx,
  { issue }: Subject,
  { mentionedIds, participantIds, reason }: Pick<ThreadMove, 'mentionedIds' | 'participantIds' | 'reason'>,
): RawBuilder<unknown> {
  if (reason !== undefined || !issue) return sql`${sql.lit(reason ?? 'watching')}`
  const isAmong = (ids: readonly UserId[]) => sql`"user".id in ${idList(tx, idListText(ids))}`
  const isAsked = sql`exists (select 1 from review where review.issue_id = ${issue.id} and review.type = 'request'
    and (review.reviewer_id = "user".id or exists (select 1 from team_user
      where team_user.team_id = review.reviewer_team_id and team_user.user_id = "user".id)))`
  const conditions: readonly (readonly [RawBuilder<unknown>, ThreadReason])[] = [
    ...(issue.is_pull ? [[isAsked, 'review_requested'] as const] : []),
    [sql`exists (select 1 from issue_assignee where issue_id = ${issue.id} and user_id = "user".id)`, 'assigned'],
    ...(mentionedIds.length > 0 ? [[isAmong(mentionedIds), 'mentioned'] as const] : []),
    [sql`"user".id = ${issue.poster_id}`, 'author'],
    ...(participantIds.length > 0 ? [[isAmong(participantIds), 'participating'] as const] : []),
  ]
  const cases = conditions.map(([condition, each]) => sql`when ${condition} then ${sql.lit(each)}`)
  return sql`case ${sql.join(cases, sql` `)} else 'watching' end`
}

/**
 * Creates or updates the thread about a subject for each given account that may receive it. A read thread becomes unread; a
 * pinned thread stays pinned. Until it is read, it keeps its strongest reason.
 */
export async function upsertThreads(tx: Tx, subject: Subject, { userIds, nowMs, ...move }: ThreadMove): Promise<void> {
  const { repo, issue } = subject
  const { doerId, cause, mentionedIds } = move
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
    insert into notification (user_id, repo_id, issue_id, subject, status, created_unix, updated_ms, cause, reason)
    select "user".id, cast(${repo.id} as bigint), cast(${issue?.id ?? null} as bigint), ${sql.lit(kind)}, 'unread',
      cast(${Math.floor(nowMs / 1000)} as bigint), cast(${nowMs} as bigint), ${itsCause},
      ${reasonIn(tx, subject, move)}
    from "user"
    where "user".id in ${idList(tx, idListText(userIds))} and "user".id <> ${doerId} and ${mayHear(subject, doerId)}
    on conflict ${one} do update set
      status = case when notification.status = 'pinned' then 'pinned' else 'unread' end,
      updated_ms = excluded.updated_ms, cause = excluded.cause, earlier_status = notification.status,
      reason = case when notification.status <> 'read'
        and ${rankOf(sql`notification.reason`)} < ${rankOf(sql`excluded.reason`)}
        then notification.reason else excluded.reason end,
      earlier_reason = notification.reason`.execute(tx)
}
