import { sql, type SqlBool } from 'kysely'
import { isAccountShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import { viewerAs, type Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { isWatching } from '../../repos/watch-level.ts'
import { countPeople, type PeoplePage } from '../../users/people-count.store.ts'
import { loadUsers } from '../../users/user.store.ts'
import { readableIssues } from '../readable-issue.store.ts'

/** Returns the explicit choice of an account; undefined without one. */
export const findIssueWatch = async (db: Db, issueId: IssueId, userId: UserId): Promise<boolean | undefined> =>
  (
    await db
      .selectFrom('issue_watch')
      .select('is_watching')
      .where('issue_id', '=', issueId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.is_watching

export const upsertIssueWatch = (tx: Tx, issueId: IssueId, userId: UserId, isWatching: boolean, unix: Unix) =>
  tx
    .insertInto('issue_watch')
    .values({ issue_id: issueId, user_id: userId, is_watching: isWatching, created_unix: unix, updated_unix: unix })
    .onConflict((conflict) =>
      conflict.columns(['issue_id', 'user_id']).doUpdateSet({ is_watching: isWatching, updated_unix: unix }),
    )
    .execute()

/** Returns whether an account watches the repository, or wrote the issue or one of its comments. */
export async function takesPart(db: Db, issue: IssueRow, userId: UserId): Promise<boolean> {
  if (issue.poster_id === userId) return true
  const watch = await db
    .selectFrom('watch')
    .select('mode')
    .where('repo_id', '=', issue.repo_id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (isWatching(watch?.mode)) return true
  const comment = await db
    .selectFrom('comment')
    .select('id')
    .where('issue_id', '=', issue.id)
    .where('poster_id', '=', userId)
    .where('type', 'in', ['comment', 'review', 'code'])
    .limit(1)
    .executeTakeFirst()
  return comment !== undefined
}

const watchers = (db: Db, issueId: IssueId, onlooker: Onlooker) =>
  db
    .selectFrom('issue_watch')
    .select('user_id')
    .where('issue_id', '=', issueId)
    .where(sql<SqlBool>`is_watching = ${sql.lit(true)}`)
    .where(isAccountShownIn(onlooker, 'issue_watch.user_id'))

/** Returns one page of the accounts that subscribed to an issue, and their number. */
export async function listIssueWatchers(
  db: Db,
  issueId: IssueId,
  onlooker: Onlooker,
  { limit, offset }: Page,
): Promise<PeoplePage> {
  const total = await countPeople(db, watchers(db, issueId, onlooker))
  const ids = await watchers(db, issueId, onlooker).orderBy('user_id').limit(limit).offset(offset).execute()
  const users = await loadUsers(db, pluck(ids, 'user_id'))
  return { users: ids.flatMap((row) => users.get(row.user_id) ?? []), ...total }
}

const subscribed = (db: Db, viewer: Viewer) =>
  readableIssues(db, viewer)
    .innerJoin('issue_watch as chosen', 'chosen.issue_id', 'issue.id')
    .where('chosen.user_id', '=', viewer.id)
    .where('chosen.is_watching', '=', true)

/** Returns the readable issues and pull requests that a person subscribed to, the latest choice first. */
export const listSubscribedIssues = (db: Db, viewer: Viewer, { limit, offset }: Page) =>
  subscribed(db, viewer)
    .select(['issue.id', 'issue.repo_id'])
    .orderBy('chosen.updated_unix', 'desc')
    .orderBy('issue.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export const countSubscribedIssues = (db: Db, viewer: Viewer): Promise<number> => countRows(subscribed(db, viewer))

/** Ends the subscription of an account to an issue, if there is one. */
export const endIssueWatch = (tx: Tx, issueId: IssueId, userId: UserId, unix: Unix) =>
  tx
    .updateTable('issue_watch')
    .set({ is_watching: false, updated_unix: unix })
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .where('is_watching', '=', true)
    .execute()

/** Deletes an account's subscriptions to issues in those repositories of an owner that the account cannot read. */
export async function deleteUnseenIssueWatches(tx: Tx, ownerId: UserId, userId: UserId): Promise<void> {
  const user = await tx.selectFrom('user').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) return
  const subscription = tx
    .selectFrom('issue_watch as asked')
    .innerJoin('issue', 'issue.id', 'asked.issue_id')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .select('asked.issue_id')
    .where('asked.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
  const readable = readableIssues(tx, viewerAs(user))
    .innerJoin('issue_watch as asked', 'asked.issue_id', 'issue.id')
    .select('issue.id')
    .where('asked.user_id', '=', userId)
    .where('repo.owner_id', '=', ownerId)
  await tx
    .deleteFrom('issue_watch')
    .where('user_id', '=', userId)
    .where('is_watching', '=', true)
    .where('issue_id', 'in', subscription)
    .where('issue_id', 'not in', readable)
    .execute()
}
