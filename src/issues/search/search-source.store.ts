import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { UserId } from '../../lib/ids.ts'
import { foundByFilter, issueRows, type IssueFilter } from './issue-filter.store.ts'

type Condition = RawBuilder<SqlBool>

/** The columns of a table that repeat an issue's place. */
export interface KeyColumns {
  readonly id: string
  readonly repo: string
  readonly isPull: string
  readonly isClosed: string
  readonly created: string
}

const placeIn = (table: string): KeyColumns => ({
  id: `${table}.issue_id`,
  repo: `${table}.repo_id`,
  isPull: `${table}.is_pull`,
  isClosed: `${table}.is_closed`,
  created: `${table}.created_unix`,
})

/** Rows of some tables. Each row leads to one issue. */
export interface Rows {
  /** The tables, in the order in which they are read. */
  readonly from: RawBuilder<unknown>
  readonly where: readonly Condition[]
  readonly columns: KeyColumns
  /** Whether `issue` is one of the tables. */
  readonly hasIssue: boolean
  /** Whether an index has the rows of each kind and state in the order of creation. */
  readonly isOrdered: boolean
  /** Whether several rows may lead to one issue. */
  readonly mayRepeat: boolean
  /** Whether all rows lead to pull requests. */
  readonly isPullOnly?: boolean
}

/** What finds the issues of a search. Its parts lead to different issues. */
export interface Source {
  readonly parts: readonly Rows[]
  /** The filters that every row satisfies. */
  readonly serves: readonly (keyof IssueFilter)[]
}

export const issueTable: Omit<Rows, 'where' | 'isOrdered'> = {
  from: sql`issue`,
  columns: {
    id: 'issue.id',
    repo: 'issue.repo_id',
    isPull: 'issue.is_pull',
    isClosed: 'issue.is_closed',
    created: 'issue.created_unix',
  },
  hasIssue: true,
  mayRepeat: false,
}

/** Every issue, in the order of creation. */
export const allIssues = ({ beforeUnix }: IssueFilter): Source => ({
  parts: [
    {
      ...issueTable,
      // An issue that was created later also changed later.
      where: beforeUnix === undefined ? [] : [sql<SqlBool>`issue.created_unix <= ${beforeUnix}`],
      isOrdered: true,
    },
  ],
  serves: [],
})

/** Issues by ids. @param ids a query with the column `id`, which has each id once */
const byIds = (db: Db, ids: Expression<unknown>): Rows => ({
  ...issueTable,
  from: sql`${issueRows(db, ids)} as issue`,
  where: [],
  isOrdered: false,
})

const ofPerson = (table: 'issue_assignee' | 'issue_mention', userId: UserId): Rows => ({
  from: sql.table(table),
  where: [sql<SqlBool>`${sql.ref(`${table}.user_id`)} = ${userId}`],
  columns: placeIn(table),
  hasIssue: false,
  isOrdered: true,
  mayRepeat: false,
})

/** Requests for a review that wait for an account, and those for its teams that it has not answered. */
function reviewRequestsOf(userId: UserId): Rows[] {
  const columns = { ...placeIn('asked'), isClosed: 'asked.is_of_closed', created: 'asked.pull_created_unix' }
  const isOfSomebodyElse = sql<SqlBool>`issue.id = asked.issue_id and issue.poster_id <> ${userId}`
  const isAnswered = sql`select 1 from review as verdict where verdict.issue_id = asked.issue_id
    and +verdict.reviewer_id = ${userId} and verdict.type in ('approve', 'reject') and verdict.id > asked.id`
  const isAskedToo = sql`select 1 from review as other where other.issue_id = asked.issue_id
    and +other.reviewer_id = ${userId} and other.is_waiting`
  return [
    {
      from: sql`review as asked`,
      where: [sql<SqlBool>`asked.is_waiting and asked.reviewer_id = ${userId}`],
      columns,
      hasIssue: false,
      isOrdered: true,
      mayRepeat: false,
      isPullOnly: true,
    },
    {
      from: sql`team_user cross join review as asked cross join issue`,
      where: [
        sql<SqlBool>`team_user.user_id = ${userId} and asked.reviewer_team_id = team_user.team_id and asked.is_waiting`,
        isOfSomebodyElse,
        sql<SqlBool>`not exists (${isAnswered}) and not exists (${isAskedToo})`,
      ],
      columns,
      hasIssue: true,
      isOrdered: false,
      mayRepeat: true,
      isPullOnly: true,
    },
  ]
}

const reviewed = (db: Db, userId: UserId): Rows => {
  const rows = byIds(
    db,
    sql`(select distinct issue_id as id from comment
      where poster_id = ${userId} and is_of_pull and type in ('comment', 'review', 'code'))`,
  )
  return { ...rows, where: [...rows.where, sql<SqlBool>`issue.poster_id <> ${userId}`], isPullOnly: true }
}

const labelled = (names: readonly string[]): Rows => ({
  from: sql`label cross join issue_label`,
  where: [sql<SqlBool>`label.name in (${sql.join(names)}) and issue_label.label_id = label.id`],
  columns: placeIn('issue_label'),
  hasIssue: false,
  isOrdered: false,
  mayRepeat: true,
})

const inMilestones = (titles: readonly string[]): Rows => ({
  ...issueTable,
  from: sql`milestone cross join issue`,
  where: [sql<SqlBool>`milestone.title in (${sql.join(titles)}) and issue.milestone_id = milestone.id`],
  isOrdered: false,
})

const changed = ({ sinceUnix, beforeUnix }: IssueFilter): Rows => ({
  ...issueTable,
  where: [
    ...(sinceUnix === undefined ? [] : [sql<SqlBool>`issue.updated_unix >= ${sinceUnix}`]),
    ...(beforeUnix === undefined ? [] : [sql<SqlBool>`issue.updated_unix <= ${beforeUnix}`]),
  ],
  isOrdered: false,
})

const written = (userId: UserId): Rows => ({
  ...issueTable,
  where: [sql<SqlBool>`issue.poster_id = ${userId}`],
  isOrdered: true,
})

/** Returns the issues that words find; undefined when there are no words to find. */
export function wordSource(db: Db, filter: IssueFilter): Source | undefined {
  const found = foundByFilter(db, filter)
  return found && { parts: [byIds(db, found)], serves: [] }
}

/** Returns the issues with the given texts. @param texts a query with the column `rowid` */
export const textHolders = (texts: RawBuilder<unknown>): Rows => ({
  ...issueTable,
  from: sql`(${texts}) as held cross join issue`,
  where: [sql<SqlBool>`issue.id = held.rowid`],
  isOrdered: false,
})

/** Returns the source of the narrowest filter that is asked for, in a fixed order; undefined when there is none. */
export function filterSource(db: Db, filter: IssueFilter): Source | undefined {
  const { reviewAskedOf, assigneeId, mentionedId, posterId, reviewedBy, labelNames, milestoneTitles } = filter
  const [firstLabel, ...otherLabels] = filter.allLabelNames ?? []
  if (reviewAskedOf !== undefined) return { parts: reviewRequestsOf(reviewAskedOf), serves: ['reviewAskedOf'] }
  if (assigneeId !== undefined) return { parts: [ofPerson('issue_assignee', assigneeId)], serves: ['assigneeId'] }
  if (mentionedId !== undefined) return { parts: [ofPerson('issue_mention', mentionedId)], serves: ['mentionedId'] }
  if (posterId !== undefined) return { parts: [written(posterId)], serves: ['posterId'] }
  if (reviewedBy !== undefined) return { parts: [reviewed(db, reviewedBy)], serves: ['reviewedBy'] }
  if (labelNames) return { parts: [labelled(labelNames)], serves: ['labelNames'] }
  if (firstLabel !== undefined) {
    // The others are tested in the rows of the first.
    return { parts: [labelled([firstLabel])], serves: otherLabels.length === 0 ? ['allLabelNames'] : [] }
  }
  if (milestoneTitles) return { parts: [inMilestones(milestoneTitles)], serves: ['milestoneTitles'] }
  if (filter.sinceUnix === undefined && filter.beforeUnix === undefined) return undefined
  return { parts: [changed(filter)], serves: ['sinceUnix', 'beforeUnix'] }
}

/** Returns the number of rows of a source, or a number of at least `atMost` when it has as many. */
export async function countSource(db: Db, { parts }: Source, atMost: number): Promise<number> {
  const counts = parts.map(
    ({ from, where }) => sql<number>`(select count(*) from (
      select 1 as one from ${from} where ${sql.join(where, sql` and `)} limit ${sql.lit(atMost)}) as counted)`,
  )
  const { total } = await db
    .selectNoFrom(sql<number | string>`${sql.join(counts, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
