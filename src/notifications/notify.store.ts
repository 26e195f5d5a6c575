import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { databaseKind } from '../db/open.ts'
import type { UserId } from '../lib/ids.ts'
import { mayHear, type Subject } from './audience.store.ts'

/**
 * People whose threads are written in one transaction; undefined: as many as are told of anything. On SQLite everybody waits for it;
 * on PostgreSQL those who change one of these threads do, a twentieth of a second, and a statement costs its planning and a commit as well.
 */
export const threadsAtOnce = (db: Db): number | undefined => (databaseKind(db) === 'postgres' ? 1000 : undefined)

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
    where "user".id in ${idList(tx, idListText(userIds))} and "user".id <> ${doerId} and ${mayHear(subject, doerId)}
    on conflict ${one} do update set
      status = case when notification.status = 'pinned' then 'pinned' else 'unread' end,
      updated_ms = excluded.updated_ms`.execute(tx)
}
