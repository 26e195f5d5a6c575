import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess, mayEnter } from '../access/conditions/repo-condition.store.ts'
import type { Db, Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { RepoRow, RepoUnit } from '../db/tables/repositories.ts'
import type { CommentId, IssueId, RepoId, TeamId, UserId } from '../lib/ids.ts'
import { isWatcher } from '../repos/watcher.store.ts'

/** Returns the condition that an account (a column of the query) has unsubscribed from an issue. */
const hasUnsubscribed = (issueId: IssueId, userId: string) => sql<SqlBool>`exists (select 1 from issue_watch
  where issue_watch.issue_id = ${issueId} and issue_watch.user_id = ${sql.ref(userId)} and not issue_watch.is_watching)`

/**
 * Returns the participants of an issue: subscribers, the author, authors of comments and reviews, and optionally the
 * assignees. Accounts that unsubscribed are left out. `mayHear` checks their read access.
 */
export async function listParticipantIds(
  db: Db,
  issueId: IssueId,
  { withAssignees }: { readonly withAssignees: boolean },
): Promise<UserId[]> {
  const assignees = sql`union select user_id from issue_assignee where issue_id = ${issueId}`
  const { rows } = await sql<{ user_id: UserId }>`
    select concerned.user_id from (
      select user_id from issue_watch where issue_id = ${issueId} and is_watching
      union select poster_id from issue where id = ${issueId}
      union select poster_id from comment where issue_id = ${issueId} and type in ('comment', 'code', 'review')
      ${withAssignees ? assignees : sql``}
    ) as concerned where not ${hasUnsubscribed(issueId, 'concerned.user_id')}`.execute(db)
  return rows.map((row) => row.user_id)
}

/** Selects watchers of a repository. */
export interface WatcherFilter {
  readonly repoId: RepoId
  /** Those who hear everything, or also those who hear of releases. */
  readonly hears: 'all' | 'releases'
  /** Leaves out accounts that unsubscribed from this issue. */
  readonly issueId?: IssueId
}

/** Returns at most `limit` watchers of a repository with ids above `after`, in ascending order. */
export async function listWatcherIds(
  db: Db,
  { repoId, hears, issueId }: WatcherFilter,
  after: UserId,
  limit: number,
): Promise<UserId[]> {
  const watchers = db
    .selectFrom('watch')
    .select('user_id')
    .where('repo_id', '=', repoId)
    .where(hears === 'all' ? isWatcher('mode') : sql<SqlBool>`mode in ('normal', 'auto', 'releases')`)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
  const rows = await (
    issueId === undefined ? watchers : watchers.where((where) => where.not(hasUnsubscribed(issueId, 'watch.user_id')))
  ).execute()
  return rows.map((row) => row.user_id)
}

export const listTeamMemberIds = async (db: Db, teamId: TeamId): Promise<UserId[]> =>
  (await db.selectFrom('team_user').select('user_id').where('team_id', '=', teamId).execute()).map((row) => row.user_id)

/** Returns the members of an organization who may create repositories in it: its owners and members of teams that may. */
export const listRepoMakerIds = async (db: Db, orgId: UserId): Promise<UserId[]> =>
  (
    await db
      .selectFrom('team_user')
      .innerJoin('team', 'team.id', 'team_user.team_id')
      .select('team_user.user_id')
      .distinct()
      .where('team.org_id', '=', orgId)
      .where((where) => where.or([where('team.access_mode', '=', 4), where('team.can_create_org_repo', '=', true)]))
      .execute()
  ).map((row) => row.user_id)

/** Returns the type of a comment; undefined when the comment does not exist. */
export const findCommentType = async (db: Db, issueId: IssueId, id: CommentId) =>
  (
    await db
      .selectFrom('comment')
      .select('type')
      .where('id', '=', id)
      .where('issue_id', '=', issueId)
      .executeTakeFirst()
  )?.type

/** Number of comments that `mayConcernOthers` reads. */
const lookedAtComments = 30

/**
 * Returns whether an issue may concern anyone but the doer: watchers, the author, subscribers, assignees or commenters; or
 * whether the doer receives mail about their own actions. Reads a bounded number of rows and returns true when these do not
 * decide.
 */
export async function mayConcernOthers(
  db: Db | Tx,
  { repoId, issueId, doerId }: { readonly repoId: RepoId; readonly issueId: IssueId; readonly doerId: UserId },
): Promise<boolean> {
  const comments = sql`(select poster_id from comment where issue_id = ${issueId} limit ${sql.lit(lookedAtComments)})`
  const { rows } = await sql<{ concerns: boolean | number }>`select (
    exists (select 1 from watch where repo_id = ${repoId} and user_id <> ${doerId} and ${isWatcher('mode')})
    or exists (select 1 from issue where id = ${issueId} and poster_id <> ${doerId})
    or exists (select 1 from issue_watch where issue_id = ${issueId} and user_id <> ${doerId} and is_watching)
    or exists (select 1 from issue_assignee where issue_id = ${issueId} and user_id <> ${doerId})
    or exists (select 1 from ${comments} as early where early.poster_id <> ${doerId})
    or (select count(*) from ${comments} as early) = ${sql.lit(lookedAtComments)}
    or exists (select 1 from "user" where id = ${doerId} and email_notifications = 'andyourown')) as concerns`.execute(
    db,
  )
  return Boolean(rows[0]?.concerns)
}

/** Returns the condition that a row of the query's table `user` wants to hear nothing of a repository. */
const refuses = (repoId: RepoId) => sql<SqlBool>`exists (select 1 from watch where watch.user_id = "user".id
  and watch.repo_id = ${repoId} and watch.mode = 'nothing')`

/** The subject of a notification. */
export interface Subject {
  readonly repo: RepoRow
  readonly owner: UserRow
  /** Absent when the repository itself is the subject. */
  readonly issue?: IssueRow | undefined
  /** The unit that contains a subject other than an issue. */
  readonly unit?: RepoUnit
}

/**
 * Returns the condition that a row of the query's table `user` may receive a notification: the account is a person, can
 * sign in, may read the subject, does not block the doer and does not refuse to hear of the repository. An offer of the
 * repository itself reaches its recipient nevertheless.
 */
export function mayHear({ repo, owner, issue, unit }: Subject, doerId: UserId): RawBuilder<SqlBool> {
  const address = { repo, owner }
  const part = issue ? (issue.is_pull ? 'pulls' : 'issues') : unit
  const reads = part === undefined ? mayEnter('user', address) : mayAccess('user', address, { units: [part], mode: 1 })
  return sql<SqlBool>`("user".kind = 'individual' and "user".is_active and not "user".prohibit_login and ${reads}
    and not exists (select 1 from user_block where user_block.blocker_id = "user".id
      and user_block.blocked_id = ${doerId})${part === undefined ? sql`` : sql` and not ${refuses(repo.id)}`})`
}
