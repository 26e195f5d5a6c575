import { teamHoldsRepo } from '../access/team-holds.store.ts'
import { sql, type ExpressionBuilder, type SqlBool, type Expression } from 'kysely'
import { teamRepos, wholeRepos } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { LabelId, MilestoneId, RepoId, TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import type { IssuePlace } from './issue.store.ts'
import type { SearchTerm } from './search-words.parse.ts'

export const issueSorts = [
  'relevance',
  'latest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'nearduedate',
  'farduedate',
] as const
export type IssueSort = (typeof issueSorts)[number]

/** Where is looked: in one repository, or in all that somebody may see. */
export type IssueScope =
  | { readonly kind: 'repo'; readonly repoId: RepoId }
  | {
      readonly kind: 'visible'
      readonly viewer: Viewer | undefined
      readonly ownerId: UserId | undefined
      readonly teamId: TeamId | undefined
    }

export interface IssueFilter {
  readonly scope: IssueScope
  readonly isClosed?: boolean | undefined
  /** Which kinds: issues (false), pull requests (true) or both. */
  readonly isPull: readonly boolean[]
  /** All of these are on it. */
  readonly allLabels?: readonly LabelId[]
  /** Any of these is on it. */
  readonly anyLabels?: readonly LabelId[]
  readonly milestoneIds?: readonly MilestoneId[]
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
  readonly posterId?: UserId | undefined
  readonly assigneeId?: UserId | undefined
  readonly mentionedId?: UserId | undefined
  /** It has a comment or a review of this account, which is not its author. */
  readonly reviewedBy?: UserId | undefined
  /** A review of it by this account, or by a team of the account, is asked for and not given. */
  readonly reviewAskedOf?: UserId | undefined
  readonly words?: readonly SearchTerm[]
}

type Builder = ExpressionBuilder<Schema, 'issue'>

/** Issues that hold one term in title, text or a comment. */
function holdsTerm(kind: 'sqlite' | 'postgres', term: SearchTerm): Expression<SqlBool> {
  const found =
    kind === 'sqlite'
      ? sql<SqlBool>`(issue.id in (select rowid from issue_words where issue_words match ${term.fts5})
          or issue.id in (select comment.issue_id from comment where comment.id in
            (select rowid from comment_words where comment_words match ${term.fts5})))`
      : sql<SqlBool>`(to_tsvector('simple', issue.title || ' ' || left(issue.content, 200000)) @@ to_tsquery('simple', ${term.tsquery})
          or issue.id in (select comment.issue_id from comment where comment.type in ('comment', 'code', 'review')
            and to_tsvector('simple', left(comment.content, 200000)) @@ to_tsquery('simple', ${term.tsquery})))`
  return term.index === undefined ? found : sql<SqlBool>`(${found} or issue."index" = ${term.index})`
}

type VisibleScope = Extract<IssueScope, { kind: 'visible' }>

/**
 * It is of a kind that the viewer may read in its repository, whether that unit is switched on or not (contract, issues:
 * the search does not look at units), and the repository is of the owner and the team that are asked for.
 */
function isVisible(db: Db, where: Builder, scope: VisibleScope, kinds: readonly boolean[]): Expression<SqlBool> {
  const { viewer } = scope
  const whole = wholeRepos(db, viewer).where(isOfScope(scope)).select('repo.id')
  if (!viewer) return where('issue.repo_id', 'in', whole)
  const byTeam = kinds.map((isPull) =>
    where.and([
      where('issue.is_pull', '=', isPull),
      where(
        'issue.repo_id',
        'in',
        teamRepos(db, viewer, isPull ? 'pulls' : 'issues')
          .where(isOfScope(scope))
          .select('repo.id'),
      ),
    ]),
  )
  return where.or([where('issue.repo_id', 'in', whole), ...byTeam])
}

/** The repository, a row of the query's `repo`, is of the owner and the team that are asked for. */
function isOfScope({ ownerId, teamId }: VisibleScope): Expression<SqlBool> {
  const isOfOwner = ownerId === undefined ? sql.lit(true) : sql`repo.owner_id = ${ownerId}`
  const isOfTeam =
    teamId === undefined
      ? sql.lit(true)
      : sql`exists (select 1 from team where team.id = ${teamId} and ${teamHoldsRepo('repo.id')})`
  return sql<SqlBool>`(${isOfOwner} and ${isOfTeam})`
}

function conditions(db: Db, where: Builder, filter: IssueFilter): Expression<SqlBool>[] {
  const { scope } = filter
  const all: Expression<SqlBool>[] = [
    scope.kind === 'repo' ? where('issue.repo_id', '=', scope.repoId) : isVisible(db, where, scope, filter.isPull),
  ]
  if (filter.isPull.length === 1) all.push(where('issue.is_pull', '=', filter.isPull[0] as boolean))
  if (filter.isClosed !== undefined) all.push(where('issue.is_closed', '=', filter.isClosed))
  for (const labelId of filter.allLabels ?? []) all.push(hasLabel(where, [labelId]))
  if (filter.anyLabels) all.push(hasLabel(where, filter.anyLabels))
  if (filter.milestoneIds) all.push(where('issue.milestone_id', 'in', filter.milestoneIds))
  if (filter.sinceUnix !== undefined) all.push(where('issue.updated_unix', '>=', filter.sinceUnix))
  if (filter.beforeUnix !== undefined) all.push(where('issue.updated_unix', '<=', filter.beforeUnix))
  if (filter.posterId !== undefined) all.push(where('issue.poster_id', '=', filter.posterId))
  if (filter.assigneeId !== undefined) all.push(concerns(where, 'issue_assignee', filter.assigneeId))
  if (filter.mentionedId !== undefined) all.push(concerns(where, 'issue_mention', filter.mentionedId))
  if (filter.reviewedBy !== undefined) all.push(isReviewedBy(where, filter.reviewedBy))
  if (filter.reviewAskedOf !== undefined) all.push(isReviewAskedOf(where, filter.reviewAskedOf))
  if (filter.words) all.push(...holdsWords(db, where, filter.words))
  return all
}

const hasLabel = (where: Builder, labelIds: readonly LabelId[]): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom('issue_label')
      .select('issue_label.label_id')
      .whereRef('issue_label.issue_id', '=', 'issue.id')
      .where('issue_label.label_id', 'in', labelIds),
  )

const concerns = (where: Builder, table: 'issue_assignee' | 'issue_mention', userId: UserId): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom(table)
      .select(`${table}.user_id`)
      .whereRef(`${table}.issue_id`, '=', 'issue.id')
      .where(`${table}.user_id`, '=', userId),
  )

const isReviewedBy = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    where.exists(
      where
        .selectFrom('comment')
        .select('comment.id')
        .whereRef('comment.issue_id', '=', 'issue.id')
        .where('comment.poster_id', '=', userId)
        .where('comment.type', 'in', ['comment', 'review', 'code']),
    ),
  ])

/** A request that is newer than the account's last verdict, on a pull request of somebody else. */
const isReviewAskedOf = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    where.exists(
      where
        .selectFrom('review as request')
        .select('request.id')
        .whereRef('request.issue_id', '=', 'issue.id')
        .where('request.type', '=', 'request')
        .where((asked) =>
          asked.or([
            asked('request.reviewer_id', '=', userId),
            asked(
              'request.reviewer_team_id',
              'in',
              asked.selectFrom('team_user').select('team_user.team_id').where('team_user.user_id', '=', userId),
            ),
          ]),
        )
        .where((asked) =>
          asked.not(
            asked.exists(
              asked
                .selectFrom('review as verdict')
                .select('verdict.id')
                .whereRef('verdict.issue_id', '=', 'issue.id')
                .where('verdict.reviewer_id', '=', userId)
                .where('verdict.type', 'in', ['approve', 'reject'])
                .whereRef('verdict.id', '>', 'request.id'),
            ),
          ),
        ),
    ),
  ])

/** All needed terms, no refused one, and one of the others unless there are needed ones. */
function holdsWords(db: Db, where: Builder, terms: readonly SearchTerm[]): Expression<SqlBool>[] {
  const kind = databaseKind(db)
  const of = (role: SearchTerm['role']) =>
    terms.filter((term) => term.role === role).map((term) => holdsTerm(kind, term))
  const needed = of('needed')
  const offered = of('offered')
  return [
    ...needed,
    ...of('refused').map((term) => where.not(term)),
    ...(needed.length === 0 && offered.length > 0 ? [where.or(offered)] : []),
  ]
}

const newestOf = (db: Db, repoId: RepoId, limit: number, offset: number) =>
  db
    .selectFrom('issue')
    .select(['id', 'repo_id'])
    // The table has an index with a condition: SQLite would compare a bare argument with it, and plan the statement anew for
    // each value. Into a sum it does not look.
    .where('repo_id', '=', sql<RepoId>`${repoId} + 0`)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

const newestOfState = preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
  newestOf(db, repoId, limit, offset).where('is_closed', '=', isClosed),
)

const newestOfAll = preparedQuery(newestOf)

/** Whether nothing but the repository and the state is asked for, as in most lists. */
export function isPlain(filter: IssueFilter): filter is IssueFilter & { scope: { kind: 'repo' } } {
  const { scope, isClosed: _state, isPull, allLabels, ...others } = filter
  return (
    scope.kind === 'repo' &&
    isPull.length === 2 &&
    (allLabels?.length ?? 0) === 0 &&
    Object.values(others).every((value) => value === undefined)
  )
}

/** One page of the issues that a filter leaves, in the order of `sort`. */
export async function listIssues(
  db: Db,
  filter: IssueFilter,
  sort: IssueSort,
  page: Page,
): Promise<readonly IssuePlace[]> {
  if (sort === 'latest' && isPlain(filter)) {
    const { repoId } = filter.scope
    return filter.isClosed === undefined
      ? newestOfAll(db, repoId, page.limit, page.offset)
      : newestOfState(db, repoId, filter.isClosed, page.limit, page.offset)
  }
  const query = db
    .selectFrom('issue')
    .select(['issue.id', 'issue.repo_id'])
    .where((where) => where.and(conditions(db, where, filter)))
    .limit(page.limit)
    .offset(page.offset)
  const newest = (each: typeof query) => each.orderBy('issue.created_unix', 'desc').orderBy('issue.id', 'desc')
  switch (sort) {
    case 'oldest':
      return query.orderBy('issue.created_unix').orderBy('issue.id').execute()
    case 'recentupdate':
      return newest(query.orderBy('issue.updated_unix', 'desc')).execute()
    case 'leastupdate':
      return query.orderBy('issue.updated_unix').orderBy('issue.created_unix').orderBy('issue.id').execute()
    case 'mostcomment':
      return newest(query.orderBy('issue.num_comments', 'desc')).execute()
    case 'leastcomment':
      return newest(query.orderBy('issue.num_comments')).execute()
    case 'nearduedate':
    case 'farduedate': {
      // The earlier of the issue's own date and its milestone's; 0 is none.
      const due = sql<number>`case
        when coalesce(milestone.due_unix, 0) = 0 then issue.due_unix
        when issue.due_unix = 0 or milestone.due_unix < issue.due_unix then milestone.due_unix
        else issue.due_unix end`
      const joined = query.leftJoin('milestone', 'milestone.id', 'issue.milestone_id')
      const ordered =
        sort === 'farduedate'
          ? joined.orderBy(due, 'desc')
          : joined.orderBy(sql`case when ${due} = 0 then 1 else 0 end`).orderBy(due)
      return ordered.orderBy('issue.created_unix', 'desc').orderBy('issue.id', 'desc').execute()
    }
    case 'latest':
    case 'relevance':
    default:
      return newest(query).execute()
  }
}

export const countIssues = async (db: Db, filter: IssueFilter): Promise<number> =>
  (
    await db
      .selectFrom('issue')
      .select((each) => each.fn.countAll<number>().as('count'))
      .where((where) => where.and(conditions(db, where, filter)))
      .executeTakeFirstOrThrow()
  ).count
