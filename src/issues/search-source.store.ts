import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'
import type { UserId } from '../lib/ids.ts'
import { foundByFilter, issueRows, type IssueFilter } from './issue-filter.store.ts'

type Condition = RawBuilder<SqlBool>

/** Where a row says which issue it leads to. */
export interface PlaceColumns {
  readonly id: string
  readonly repo: string
  readonly isPull: string
  readonly isClosed: string
  readonly created: string
}

export const ofIssue: PlaceColumns = {
  id: 'issue.id',
  repo: 'issue.repo_id',
  isPull: 'issue.is_pull',
  isClosed: 'issue.is_closed',
  created: 'issue.created_unix',
}

const placeIn = (table: string): PlaceColumns => ({
  id: `${table}.issue_id`,
  repo: `${table}.repo_id`,
  isPull: `${table}.is_pull`,
  isClosed: `${table}.is_closed`,
  created: `${table}.created_unix`,
})

/** Rows of some tables, each of which leads to one issue. */
export interface Way {
  /** The tables, in the order in which they are come to. */
  readonly from: RawBuilder<unknown>
  readonly where: readonly Condition[]
  readonly place: PlaceColumns
  /** Whether `issue` is one of the tables. */
  readonly hasIssue: boolean
  /** Whether an index has the rows of each kind and state in the order of creation. */
  readonly isOrdered: boolean
  /** Whether it may come to an issue several times. */
  readonly mayRepeat: boolean
  /** Whether all are pull requests; it is not asked for then. */
  readonly isPullOnly?: true
  /** Whether they are few, though PostgreSQL can not tell: their repositories are looked up one by one. */
  readonly isLookedUp?: true
  /** The column in whose order they are counted, where PostgreSQL would else go through the table. */
  readonly countedBy?: string
}

/** What a search over all repositories is found by: ways that do not come to the same issues. */
export interface Source {
  readonly ways: readonly Way[]
  /** What of the filter is true of every row. */
  readonly serves: readonly (keyof IssueFilter)[]
  /** Words are found by it, and by nothing else: it is always taken. */
  readonly isWords?: true
}

const issues = { from: sql`issue`, place: ofIssue, hasIssue: true, mayRepeat: false } as const

/** In the order of creation, passing over what does not belong to the answer. */
export const inOrder = ({ beforeUnix }: IssueFilter): Source => ({
  ways: [
    {
      ...issues,
      // What was made later changed later as well.
      where: beforeUnix === undefined ? [] : [sql<SqlBool>`issue.created_unix <= ${beforeUnix}`],
      isOrdered: true,
    },
  ],
  serves: [],
})

/** Issues whose ids a query gives as its column `id`, each once. */
const byIds = (db: Db, ids: Expression<unknown>): Way => {
  const way = { ...issues, isOrdered: false }
  return databaseKind(db) === 'postgres'
    ? { ...way, from: sql`${issueRows(ids)} as issue`, where: [], isLookedUp: true }
    : { ...way, from: sql`${ids} as found cross join issue`, where: [sql<SqlBool>`issue.id = found.id`] }
}

const ofPerson = (table: 'issue_assignee' | 'issue_mention', userId: UserId): Way => ({
  from: sql.table(table),
  where: [sql<SqlBool>`${sql.ref(`${table}.user_id`)} = ${userId}`],
  place: placeIn(table),
  hasIssue: false,
  isOrdered: true,
  mayRepeat: false,
})

/** Requests that wait for somebody, and those for teams that they have not answered. */
function asked(userId: UserId): Way[] {
  const place = {
    ...placeIn('asked'),
    isClosed: 'asked.is_of_closed',
    created: 'asked.pull_created_unix',
  }
  const isOfSomebodyElse = sql<SqlBool>`issue.id = asked.issue_id and issue.poster_id <> ${userId}`
  const isAnswered = sql`select 1 from review as verdict where verdict.issue_id = asked.issue_id
    and +verdict.reviewer_id = ${userId} and verdict.type in ('approve', 'reject') and verdict.id > asked.id`
  const isAskedToo = sql`select 1 from review as other where other.issue_id = asked.issue_id
    and +other.reviewer_id = ${userId} and other.is_waiting`
  return [
    {
      from: sql`review as asked`,
      where: [sql<SqlBool>`asked.is_waiting and asked.reviewer_id = ${userId}`],
      place,
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
      place,
      hasIssue: true,
      isOrdered: false,
      mayRepeat: true,
      isPullOnly: true,
    },
  ]
}

const reviewed = (db: Db, userId: UserId): Way => {
  const ids = sql`(select distinct issue_id as id from comment
    where poster_id = ${userId} and is_of_pull and type in ('comment', 'review', 'code'))`
  const way = byIds(db, ids)
  return { ...way, where: [...way.where, sql<SqlBool>`issue.poster_id <> ${userId}`], isPullOnly: true }
}

const labelled = (names: readonly string[]): Way => ({
  from: sql`label cross join issue_label`,
  where: [sql<SqlBool>`label.name in (${sql.join(names)}) and issue_label.label_id = label.id`],
  place: placeIn('issue_label'),
  hasIssue: false,
  isOrdered: false,
  mayRepeat: true,
})

const inMilestones = (titles: readonly string[]): Way => ({
  ...issues,
  from: sql`milestone cross join issue`,
  where: [sql<SqlBool>`milestone.title in (${sql.join(titles)}) and issue.milestone_id = milestone.id`],
  isOrdered: false,
})

const changed = ({ sinceUnix, beforeUnix }: IssueFilter): Way => ({
  ...issues,
  where: [
    ...(sinceUnix === undefined ? [] : [sql<SqlBool>`issue.updated_unix >= ${sinceUnix}`]),
    ...(beforeUnix === undefined ? [] : [sql<SqlBool>`issue.updated_unix <= ${beforeUnix}`]),
  ],
  isOrdered: false,
  countedBy: 'issue.updated_unix',
})

const written = (userId: UserId): Way => ({
  ...issues,
  where: [sql<SqlBool>`issue.poster_id = ${userId}`],
  isOrdered: true,
})

/** Everything that a filter asks for and that rows are found by. */
export function sourcesOf(db: Db, filter: IssueFilter): Source[] {
  const sources: Source[] = []
  const add = <Value>(name: keyof IssueFilter, value: Value | undefined, waysOf: (value: Value) => readonly Way[]) => {
    if (value !== undefined) sources.push({ ways: waysOf(value), serves: [name] })
  }
  add('posterId', filter.posterId, (id) => [written(id)])
  add('assigneeId', filter.assigneeId, (id) => [ofPerson('issue_assignee', id)])
  add('mentionedId', filter.mentionedId, (id) => [ofPerson('issue_mention', id)])
  add('reviewAskedOf', filter.reviewAskedOf, asked)
  add('reviewedBy', filter.reviewedBy, (id) => [reviewed(db, id)])
  add('labelNames', filter.labelNames, (names) => [labelled(names)])
  add('milestoneTitles', filter.milestoneTitles, (titles) => [inMilestones(titles)])
  if (filter.sinceUnix !== undefined || filter.beforeUnix !== undefined) {
    sources.push({ ways: [changed(filter)], serves: ['sinceUnix', 'beforeUnix'] })
  }
  const found = foundByFilter(db, filter)
  if (found) sources.push({ ways: [byIds(db, found)], serves: [], isWords: true })
  return sources
}

/** How many rows sources have, of each way of them `atMost`. One question. */
export async function countSources(db: Db, sources: readonly Source[], atMost: number): Promise<number[]> {
  if (sources.length === 0) return []
  const countOf = ({ from, where, countedBy }: Way) => sql<number>`(select count(*) from (
    select 1 as one from ${from} where ${sql.join(where, sql` and `)}
    ${countedBy === undefined ? sql`` : sql`order by ${sql.ref(countedBy)}`} limit ${sql.lit(atMost)}) as counted)`
  const counts = sources.map(({ ways }) => sql<number>`${sql.join(ways.map(countOf), sql` + `)}`)
  const row: Readonly<Record<string, number>> = await db
    .selectNoFrom(counts.map((count, index) => count.as(`count_${index}`)))
    .executeTakeFirstOrThrow()
  return sources.map((_, index) => row[`count_${index}`] ?? 0)
}
