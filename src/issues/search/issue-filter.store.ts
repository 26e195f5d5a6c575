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
  /** The issue has labels with all of these names, of any repository or organization. */
  readonly allLabelNames?: readonly string[]
  /** The issue has no label with one of these names. */
  readonly noneOfLabelNames?: readonly string[]
  readonly milestoneIds?: readonly MilestoneId[]
  /** The issue has a milestone with one of these titles, of any repository. */
  readonly milestoneTitles?: readonly string[]
  /** The issue has none of these. */
  readonly noneOfLabels?: readonly LabelId[]
  readonly createdFromUnix?: Unix | undefined
  readonly createdToUnix?: Unix | undefined
  readonly minComments?: number | undefined
  readonly maxComments?: number | undefined
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

/** The members of a filter that become conditions of issues. A list has the kind and the state in its index. */
type Narrowing = Omit<IssueFilter, 'scope' | 'isClosed' | 'isPull'>

/** The database and the builder of a condition. */
interface ConditionScope {
  readonly db: Db
  readonly where: Builder
  /** Returns a column, which only its own lead may look up in an index. */
  readonly column: (name: 'milestone_id' | 'poster_id' | 'updated_unix', by: LeadKind) => Expression<number>
}

/** The conditions of each member of a filter. A member without conditions would be ignored, so none may be missing. */
const conditionsOf: {
  readonly [Name in keyof Narrowing]-?: (
    value: NonNullable<Narrowing[Name]>,
    scope: ConditionScope,
  ) => readonly Expression<SqlBool>[]
} = {
  allLabels: (labelIds, { where }) => labelIds.map((labelId) => hasLabel(where, [labelId])),
  anyLabels: (labelIds, { where }) => [hasLabel(where, labelIds)],
  noneOfLabels: (labelIds, { where }) => (labelIds.length === 0 ? [] : [where.not(hasLabel(where, labelIds))]),
  createdFromUnix: (unix) => [sql<SqlBool>`issue.created_unix >= ${unix}`],
  createdToUnix: (unix) => [sql<SqlBool>`issue.created_unix <= ${unix}`],
  minComments: (count) => [sql<SqlBool>`issue.num_comments >= ${count}`],
  maxComments: (count) => [sql<SqlBool>`issue.num_comments <= ${count}`],
  labelNames: (names) => [hasLabelNamed(names)],
  allLabelNames: (names) => names.map((name) => hasLabelNamed([name])),
  noneOfLabelNames: (names, { where }) => (names.length === 0 ? [] : [where.not(hasLabelNamed(names))]),
  milestoneTitles(titles) {
    const title = sql`(select title from milestone where milestone.id = issue.milestone_id)`
    return [sql<SqlBool>`${title} in (${sql.join(titles)})`]
  },
  milestoneIds(ids, { db, column }) {
    const isOf = ids.length === 1 ? sql`= ${ids[0]}` : sql`in ${idList(db, idListText(ids))}`
    return [sql<SqlBool>`${column('milestone_id', 'milestone')} ${isOf}`]
  },
  sinceUnix: (unix, { column }) => [sql<SqlBool>`${column('updated_unix', 'times')} >= ${unix}`],
  beforeUnix: (unix, { column }) => [sql<SqlBool>`${column('updated_unix', 'times')} <= ${unix}`],
  posterId: (id, { column }) => [sql<SqlBool>`${column('poster_id', 'poster')} = ${id}`],
  assigneeId: (id, { where }) => [concerns(where, 'issue_assignee', id)],
  mentionedId: (id, { where }) => [concerns(where, 'issue_mention', id)],
  reviewedBy: (id, { where }) => [isReviewedBy(where, id)],
  reviewAskedOf: (id, { where }) => [isReviewAskedOf(where, id)],
  lacks: (all) => all.map((lack) => lacking[lack]),
  // The sought words find the issues; here stand the refused ones.
  words: (terms, { db }) => [holdsNoRefused(db, terms)].filter((each) => each !== undefined),
}
const narrowingNames = Object.keys(conditionsOf) as (keyof Narrowing)[]

/** Returns the conditions of a filter. Columns other than that of the lead are checked in rows, not looked up. */
export function conditions(db: Db, where: Builder, filter: IssueFilter, lead?: LeadKind): Expression<SqlBool>[] {
  const column: ConditionScope['column'] = (name, by) =>
    lead === undefined || lead === by ? sql.ref<number>(`issue.${name}`) : passedOver(db, name)
  return narrowingNames.flatMap((name) => {
    const value = filter[name]
    // The type of each entry fits the value of its own name.
    return value === undefined
      ? []
      : (conditionsOf[name] as (value: unknown, scope: ConditionScope) => readonly Expression<SqlBool>[])(value, {
          db,
          where,
          column,
        })
  })
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
  readonly keys: readonly IssueKey[]
  readonly total: number
  readonly bound?: Bound | undefined
  /** The keys of the last row, after which the next page begins. */
  readonly last?: CursorKey | undefined
}
