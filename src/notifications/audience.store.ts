import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess, mayEnter } from '../access/conditions/repo-condition.store.ts'
import type { Db, Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { RepoRow, RepoUnit } from '../db/tables/repositories.ts'
import type { CommentId, IssueId, RepoId, TeamId, UserId } from '../lib/ids.ts'

/** That an account, a column of the query, did not say that it wants to hear nothing of an issue. */
const isSilent = (issueId: IssueId, userId: string) => sql<SqlBool>`exists (select 1 from issue_watch
  where issue_watch.issue_id = ${issueId} and issue_watch.user_id = ${sql.ref(userId)} and not issue_watch.is_watching)`

/**
 * Who takes part in an issue: explicit subscribers, the author, those who commented or reviewed, and where it is asked for
 * the assignees. Not those who said that they want to hear nothing of it. Whether they may read it is asked elsewhere
 * (`mayHear`).
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
    ) as concerned where not ${isSilent(issueId, 'concerned.user_id')}`.execute(db)
  return rows.map((row) => row.user_id)
}

/** A part of those who watch a repository. */
export interface WatcherFilter {
  readonly repoId: RepoId
  /** Left out: those who said that they want to hear nothing of it. */
  readonly issueId?: IssueId
}

/** Some of the watchers of a repository, by id, after one. */
export async function listWatcherIds(
  db: Db,
  { repoId, issueId }: WatcherFilter,
  after: UserId,
  limit: number,
): Promise<UserId[]> {
  const watchers = db
    .selectFrom('watch')
    .select('user_id')
    .where('repo_id', '=', repoId)
    .where('mode', '<>', 'dont')
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
  const rows = await (
    issueId === undefined ? watchers : watchers.where((where) => where.not(isSilent(issueId, 'watch.user_id')))
  ).execute()
  return rows.map((row) => row.user_id)
}

/** Members of a team, by id. */
export const listTeamMemberIds = async (db: Db, teamId: TeamId): Promise<UserId[]> =>
  (await db.selectFrom('team_user').select('user_id').where('team_id', '=', teamId).execute()).map((row) => row.user_id)

/** Who may make repositories for an organization: its owners, and members of teams that may. */
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

/** The type of a comment; undefined when it is gone. */
export const findCommentType = async (db: Db, issueId: IssueId, id: CommentId) =>
  (
    await db
      .selectFrom('comment')
      .select('type')
      .where('id', '=', id)
      .where('issue_id', '=', issueId)
      .executeTakeFirst()
  )?.type

/** Comments that are looked at to find out whether others take part. */
const lookedAtComments = 30

/**
 * Whether anybody but the doer may have to do with an issue: watchers, the author, subscribers, assignees, those who wrote
 * below it; or the doer wants mail of what they did. It looks at a few rows, and says true when that does not tell.
 */
export async function mayConcernOthers(
  db: Db | Tx,
  { repoId, issueId, doerId }: { readonly repoId: RepoId; readonly issueId: IssueId; readonly doerId: UserId },
): Promise<boolean> {
  const comments = sql`(select poster_id from comment where issue_id = ${issueId} limit ${sql.lit(lookedAtComments)})`
  const { rows } = await sql<{ concerns: boolean | number }>`select (
    exists (select 1 from watch where repo_id = ${repoId} and user_id <> ${doerId} and mode <> 'dont')
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

/** What somebody is to be told of. */
export interface Subject {
  readonly repo: RepoRow
  readonly owner: UserRow
  /** Left out where the repository itself is the subject. */
  readonly issue?: IssueRow | undefined
  /** The unit that it is a part of, where it is no issue. */
  readonly unit?: RepoUnit
}

/**
 * That a row of the query's table `user` is a person who may be told: one who can sign in, may read the subject and does
 * not block the doer.
 */
export function mayHear({ repo, owner, issue, unit }: Subject, doerId: UserId): RawBuilder<SqlBool> {
  const place = { repo, owner }
  const part = issue ? (issue.is_pull ? 'pulls' : 'issues') : unit
  const reads = part === undefined ? mayEnter('user', place) : mayAccess('user', place, { units: [part], mode: 1 })
  return sql<SqlBool>`("user".kind = 'individual' and "user".is_active and not "user".prohibit_login and ${reads}
    and not exists (select 1 from user_block where user_block.blocker_id = "user".id
      and user_block.blocked_id = ${doerId}))`
}
