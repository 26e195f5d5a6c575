import { countingQuery } from '../../db/merged-page.ts'
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { fence, isAmong, withoutIndex } from '../../db/portable.ts'
import type { Schema } from '../../db/schema.ts'
import type { IssueTable } from '../../db/tables/issues.ts'
import type { IssueId, LabelId, MilestoneId, RepoId, TeamId, UserId } from '../../lib/ids.ts'
import type { CursorKey } from '../../lib/cursor.ts'
import type { Bound } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import type { IssueKey } from '../issue.store.ts'
import { foundByWords, holdsNoRefused, usualAllowance, type WordScope } from './words.store.ts'
import type { Lack } from './query.parse.ts'
import type { SearchTerm } from './words.parse.ts'

/** The repositories that a list covers: one, or all that the viewer may see. */
export type IssueScope =
  | { readonly kind: 'repo'; readonly repoId: RepoId }
  | {
      readonly kind: 'visible'
      readonly viewer: Viewer | undefined
      readonly ownerId: UserId | undefined
      readonly teamId: TeamId | undefined
      /** The texts that words are searched in; undefined: the newest texts of all repositories. */
      readonly words?: Pick<WordScope, 'repoIds' | 'newestOfAll'> | undefined
    }

export interface IssueFilter {
  readonly scope: IssueScope
  readonly isClosed?: boolean | undefined
  /** The kinds: issues (false), pull requests (true) or both. */
  readonly isPull: readonly boolean[]
  /** The issue has all of these. */
  readonly allLabels?: readonly LabelId[]
  /** The issue has at least one of these. */
  readonly anyLabels?: readonly LabelId[]
  /** The issue has a label with one of these names, of any repository or organization. */
  readonly labelNames?: readonly string[]
  readonly milestoneIds?: readonly MilestoneId[]
  /** The issue has a milestone with one of these titles, of any repository. */
  readonly milestoneTitles?: readonly string[]
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
  readonly posterId?: UserId | undefined
  readonly assigneeId?: UserId | undefined
  readonly mentionedId?: UserId | undefined
  /** This account commented on or reviewed the pull request and is not its author. */
  readonly reviewedBy?: UserId | undefined
  /** A review by this account, or by a team of it, is requested and not given. */
  readonly reviewAskedOf?: UserId | undefined
  readonly words?: readonly SearchTerm[]
  /** The issue has none of these. */
  readonly lacks?: readonly Lack[]
}

export type Builder = ExpressionBuilder<Schema, 'issue'>

export type VisibleScope = Extract<IssueScope, { kind: 'visible' }>

/** The filter of a list of one repository. */
export type RepoFilter = IssueFilter & { readonly scope: { readonly kind: 'repo'; readonly repoId: RepoId } }

/** The index that finds the rows: that of an order or of a column, or the ids from another table. */
export type LeadKind = 'order' | 'times' | 'milestone' | 'poster' | 'ids'

/** Returns a column whose indexes SQLite does not use. PostgreSQL knows from its statistics which index to use. */
export const passedOver = (
  db: Db,
  column: 'repo_id' | 'is_pull' | 'is_closed' | 'milestone_id' | 'poster_id' | 'updated_unix',
) => withoutIndex<number>(db, `issue.${column}`)

/** Returns the conditions of a filter. Columns other than that of the lead are checked in rows, not looked up. */
export function conditions(db: Db, where: Builder, filter: IssueFilter, lead?: LeadKind): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = []
  const column = (name: 'milestone_id' | 'poster_id' | 'updated_unix', by: LeadKind) =>
    lead === undefined || lead === by ? sql.ref<number>(`issue.${name}`) : passedOver(db, name)
  for (const labelId of filter.allLabels ?? []) all.push(hasLabel(where, [labelId]))
  if (filter.anyLabels) all.push(hasLabel(where, filter.anyLabels))
  if (filter.labelNames) all.push(hasLabelNamed(filter.labelNames))
  if (filter.milestoneTitles) {
    const title = sql`(select title from milestone where milestone.id = issue.milestone_id)`
    all.push(sql<SqlBool>`${title} in (${sql.join(filter.milestoneTitles)})`)
  }
  const { milestoneIds } = filter
  if (milestoneIds) {
    const isOf = milestoneIds.length === 1 ? sql`= ${milestoneIds[0]}` : sql`in ${idList(db, idListText(milestoneIds))}`
    all.push(sql<SqlBool>`${column('milestone_id', 'milestone')} ${isOf}`)
  }
  const updated = column('updated_unix', 'times')
  if (filter.sinceUnix !== undefined) all.push(sql<SqlBool>`${updated} >= ${filter.sinceUnix}`)
  if (filter.beforeUnix !== undefined) all.push(sql<SqlBool>`${updated} <= ${filter.beforeUnix}`)
  if (filter.posterId !== undefined) all.push(sql<SqlBool>`${column('poster_id', 'poster')} = ${filter.posterId}`)
  if (filter.assigneeId !== undefined) all.push(concerns(where, 'issue_assignee', filter.assigneeId))
  if (filter.mentionedId !== undefined) all.push(concerns(where, 'issue_mention', filter.mentionedId))
  if (filter.reviewedBy !== undefined) all.push(isReviewedBy(where, filter.reviewedBy))
  if (filter.reviewAskedOf !== undefined) all.push(isReviewAskedOf(where, filter.reviewAskedOf))
  for (const lack of filter.lacks ?? []) all.push(lacking[lack])
  const holdsNone = filter.words && holdsNoRefused(db, filter.words)
  if (holdsNone) all.push(holdsNone)
  return all
}

/** Returns where the words of a filter are searched. */
export const wordScope = ({ scope, isPull }: IssueFilter): WordScope =>
  scope.kind === 'repo'
    ? { repoIds: [scope.repoId], isPull }
    : { ...(scope.words ?? { newestOfAll: usualAllowance }), isPull }

/** Returns the issues that the words of a filter find, as a set for `in`; undefined when it has none to find. */
export const foundByFilter = (db: Db, filter: IssueFilter): Expression<IssueId> | undefined =>
  filter.words && foundByWords(db, filter.words, wordScope(filter))

const lacking: Readonly<Record<Lack, Expression<SqlBool>>> = {
  milestone: sql<SqlBool>`issue.milestone_id is null`,
  label: sql<SqlBool>`not exists (select 1 from issue_label where issue_label.issue_id = issue.id)`,
  assignee: sql<SqlBool>`not exists (select 1 from issue_assignee where issue_assignee.issue_id = issue.id)`,
}

const hasLabel = (where: Builder, labelIds: readonly LabelId[]): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom('issue_label')
      .select('issue_label.label_id')
      .whereRef('issue_label.issue_id', '=', 'issue.id')
      .where('issue_label.label_id', 'in', labelIds),
  )

const hasLabelNamed = (names: readonly string[]): Expression<SqlBool> =>
  sql<SqlBool>`exists (select 1 from issue_label inner join label on label.id = issue_label.label_id
    where issue_label.issue_id = issue.id and label.name in (${sql.join(names)}))`

const concerns = (where: Builder, table: 'issue_assignee' | 'issue_mention', userId: UserId): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom(table)
      .select(`${table}.user_id`)
      .whereRef(`${table}.issue_id`, '=', 'issue.id')
      .where(`${table}.user_id`, '=', userId),
  )

/** Returns the condition for a comment or review on another account's pull request. It names all columns of the index by poster, so one index lookup answers it. */
const isReviewedBy = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    sql<SqlBool>`exists (select 1 from comment where comment.issue_id = issue.id and comment.poster_id = ${userId}
      and comment.is_of_pull = ${sql.lit(true)} and comment.type in ('comment', 'review', 'code'))`,
  ])

/**
 * Returns the condition for a review request that is newer than the account's last verdict, on another account's pull request.
 * The unary `+` keeps SQLite from the index of all reviews of the account, which has more rows than one pull request.
 */
const isReviewAskedOf = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    sql<SqlBool>`exists (select 1 from review as request where request.issue_id = issue.id and request.type = 'request'
      and (+request.reviewer_id = ${userId}
        or request.reviewer_team_id in (select team_id from team_user where user_id = ${userId}))
      and not exists (select 1 from review as verdict where verdict.issue_id = issue.id
        and +verdict.reviewer_id = ${userId} and verdict.type in ('approve', 'reject') and verdict.id > request.id))`,
  ])

/** Returns a query of the ids of issues with at least one of the labels. */
export const anyLabel = (db: Db, labels: readonly LabelId[]): Expression<unknown> =>
  db
    .selectFrom('issue_label')
    .select('issue_id')
    .where('label_id', 'in', idList(db, idListText(labels)) as Expression<LabelId>)

/** Returns the issues with the given ids. PostgreSQL cannot estimate their number, so the statement makes it look up each id. */
export const issueRows = (db: Db, ids: Expression<unknown>): RawBuilder<Selectable<IssueTable>> =>
  sql`(select * from issue where ${isAmong(db, sql.ref('issue.id'), ids)} ${fence(db)})`

/** Returns a query of all issues, or of the issues with the given ids. */
export function issuesById(db: Db, ids: Expression<unknown> | undefined) {
  if (!ids) return db.selectFrom('issue')
  return db.selectFrom(issueRows(db, ids).as('issue'))
}

/** A query of issues whose rows can be counted. */
type Countable = SelectQueryBuilder<Schema, 'issue', IssueKey>

/** Returns the number of rows. @param atMost the number at which counting stops; undefined: never */
export async function countRows(db: Db, branches: readonly Countable[], atMost: number | undefined): Promise<number> {
  if (branches.length === 0) return 0
  return (await countingQuery(db, branches, atMost).executeTakeFirstOrThrow()).total
}

export interface IssuePage {
  readonly places: readonly IssueKey[]
  readonly total: number
  readonly bound?: Bound | undefined
  /** The keys of the last row, after which the next page begins. */
  readonly last?: CursorKey | undefined
}
