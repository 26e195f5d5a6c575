import { sql, type Expression, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrderKey } from '../db/deep-page.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { IssueTable } from '../db/tables/issues.ts'
import type { RepoId } from '../lib/ids.ts'
import { conditions, passedOver, type IssueFilter, type Lead } from './issue-filter.store.ts'
import { unindexed } from './issue-order.store.ts'
import type { IssuePlace } from './issue.store.ts'
import type { Part } from './tally.store.ts'

export type RepoFilter = IssueFilter & { readonly scope: { readonly kind: 'repo'; readonly repoId: RepoId } }

/** What issues have in tables that know the place of the issue: which of it, and in which column that is. */
export interface Pair {
  readonly table: 'issue_label' | 'issue_assignee' | 'issue_mention'
  readonly column: 'label_id' | 'user_id'
  readonly key: number
}

/** What the rows of a list are found by. */
export type ListLead = Lead | { readonly by: 'pair'; readonly pair: Pair }

/** What a filter asks for that issues have in other tables. */
export function pairsOf({ allLabels = [], anyLabels, assigneeId, mentionedId }: RepoFilter): readonly Pair[] {
  const [label] = anyLabels?.length === 1 ? anyLabels : []
  const labels = label === undefined ? allLabels : [...allLabels, label]
  return [
    ...labels.map((key) => ({ table: 'issue_label', column: 'label_id', key }) as const),
    ...(assigneeId === undefined ? [] : [{ table: 'issue_assignee', column: 'user_id', key: assigneeId } as const]),
    ...(mentionedId === undefined ? [] : [{ table: 'issue_mention', column: 'user_id', key: mentionedId } as const]),
  ]
}

/** What is left of a filter without these. */
function withoutPairs(filter: RepoFilter): RepoFilter {
  const { allLabels: _all, anyLabels, assigneeId: _assignee, mentionedId: _mentioned, ...others } = filter
  return { ...others, ...(anyLabels && anyLabels.length > 1 ? { anyLabels } : {}) }
}

/** Whether a filter asks for nothing but the repository, kind and state and some pairs, so that no issue needs to be looked at. */
function asksForPairsAlone(filter: RepoFilter): boolean {
  const { scope: _scope, isPull: _kinds, isClosed: _state, ...others } = withoutPairs(filter)
  return Object.values(others).every((value) => value === undefined)
}

/** A kind and a state that a branch is limited to; nothing: all that are asked for. */
export type OfPart = Partial<Pick<Part, 'isPull' | 'isClosed'>>

/** Rows of which so many have something are looked up in a set of those; more are asked for it one by one. */
const soonListed = 30_000

/** That an issue has something: one is looked up, or is among all of this place that have it. */
function hasPair(
  db: Db,
  { table, column, key }: Pair,
  issue: RawBuilder<unknown>,
  among: (OfPart & { readonly repoId: RepoId; readonly total: number }) | undefined,
): RawBuilder<SqlBool> {
  const isIt = sql`${sql.ref(`other.${column}`)} = ${key}`
  if (databaseKind(db) === 'sqlite' && among && among.total <= soonListed) {
    return sql<SqlBool>`${issue} in (select other.issue_id from ${sql.table(table)} as other
      where ${isIt} and ${isOfPlace('other', among.repoId, among)})`
  }
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} as other where other.issue_id = ${issue} and ${isIt})`
}

const isOfPlace = (table: string, repoId: RepoId, { isPull, isClosed }: OfPart): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.join(
    [
      sql`${sql.ref(`${table}.repo_id`)} = ${repoId}`,
      ...(isPull === undefined ? [] : [sql`${sql.ref(`${table}.is_pull`)} = ${sql.lit(isPull)}`]),
      ...(isClosed === undefined ? [] : [sql`${sql.ref(`${table}.is_closed`)} = ${sql.lit(isClosed)}`]),
    ],
    sql` and `,
  )}`

/** What an order compares is at hand in every branch, so that branches in order can be merged. */
export type Branch = ReturnType<typeof branchOfIssues>

/** How a branch finds its rows. */
export interface Found {
  readonly lead: ListLead
  /** Whether an index has the rows of a part in the order; else they are sorted. */
  readonly isInOrder: boolean
  /** How many issues of the parts have what a pair says, where that is known. */
  readonly totalOf?: (pair: Pair) => number
}

const isSame = (one: Pair, other: Pair): boolean => one.table === other.table && one.key === other.key

/** The rows of a filter of a kind and state, with what they are ordered by. */
export function branchOf(
  db: Db,
  filter: RepoFilter,
  found: Found,
  order: readonly OrderKey[],
  part: OfPart,
): { readonly query: Branch; readonly order: readonly OrderKey[] } {
  const { lead, isInOrder } = found
  if (lead.by !== 'pair') {
    const used = isInOrder ? order : unindexed(order)
    return { query: branchOfIssues(db, filter, { ...found, lead }, used, part), order: used }
  }
  const used = order.map((key) =>
    key.name === 'id' || key.name === 'created_unix'
      ? { ...key, value: sql.ref(key.name === 'id' ? 'pair.issue_id' : 'pair.created_unix') }
      : // PostgreSQL would go through all issues in this order, looking for those that have the pair.
        { ...key, value: sql`${key.value} + 0` },
  )
  return { query: branchOfPair(db, filter, lead.pair, used, part) as unknown as Branch, order: used }
}

/** Issues that are looked up one by one: PostgreSQL can not tell how few a set has, and would go through all there are. */
export const issuesOf = (ids: Expression<unknown>): RawBuilder<Selectable<IssueTable>> =>
  sql`(select issue.* from (select distinct id from ${ids} as each_id(id)) as found
    cross join lateral (select * from issue where issue.id = found.id offset 0) as issue)`

function branchOfIssues(
  db: Db,
  filter: RepoFilter,
  { lead, totalOf }: Found & { readonly lead: Lead },
  order: readonly OrderKey[],
  { isPull, isClosed }: OfPart,
) {
  const column = (name: 'repo_id' | 'is_pull' | 'is_closed', isUsed: boolean) =>
    isUsed ? sql.ref(`issue.${name}`) : passedOver(db, name)
  const isColumns = lead.by !== 'ids'
  const { repoId } = filter.scope
  const isLookedUp = lead.by === 'ids' && databaseKind(db) === 'postgres'
  const from = isLookedUp ? db.selectFrom(issuesOf(lead.ids).as('issue')) : db.selectFrom('issue')
  return from
    .select(['issue.id', 'issue.repo_id'])
    .select(order.filter(({ name }) => name !== 'id').map(({ name, value }) => value.as(name)))
    .where((where) =>
      where.and([
        sql<SqlBool>`${column('repo_id', isColumns && lead.by !== 'milestone')} = ${repoId}`,
        ...(isPull === undefined ? [] : [sql<SqlBool>`${column('is_pull', isColumns)} = ${sql.lit(isPull)}`]),
        ...(isClosed === undefined ? [] : [sql<SqlBool>`${column('is_closed', isColumns)} = ${sql.lit(isClosed)}`]),
        ...conditions(db, where, withoutPairs(filter), isLookedUp ? { by: 'order' } : lead),
        ...pairsOf(filter).map((pair) =>
          hasPair(
            db,
            pair,
            sql.ref('issue.id'),
            lead.by === 'order' && totalOf ? { repoId, isPull, isClosed, total: totalOf(pair) } : undefined,
          ),
        ),
      ]),
    )
}

/** One page of the issues of one kind and state that have something, by creation. */
const pageOfPair = (table: Pair['table'], column: Pair['column'], direction: OrderKey['direction']) =>
  preparedQuery(
    (db: Db, key: number, repoId: RepoId, isPull: boolean, isClosed: boolean, limit: number, offset: number) =>
      db
        .selectFrom(`${table as 'issue_label'} as pair` as const)
        .select(['pair.issue_id as id', 'pair.repo_id'])
        .where(sql<SqlBool>`${sql.ref(`pair.${column}`)} = ${key}`)
        .where('pair.repo_id', '=', repoId)
        .where('pair.is_pull', '=', isPull)
        .where('pair.is_closed', '=', isClosed)
        .orderBy('pair.created_unix', direction)
        .orderBy('pair.issue_id', direction)
        .limit(limit)
        .offset(offset),
  )
const pagesOfPairs = {
  issue_label: {
    asc: pageOfPair('issue_label', 'label_id', 'asc'),
    desc: pageOfPair('issue_label', 'label_id', 'desc'),
  },
  issue_assignee: {
    asc: pageOfPair('issue_assignee', 'user_id', 'asc'),
    desc: pageOfPair('issue_assignee', 'user_id', 'desc'),
  },
  issue_mention: {
    asc: pageOfPair('issue_mention', 'user_id', 'asc'),
    desc: pageOfPair('issue_mention', 'user_id', 'desc'),
  },
} as const

/**
 * Reads pages of a list that asks for one thing alone, of one kind and state, as most do that ask for a label.
 * @returns undefined where the list asks for more, or in another order than that of creation
 */
export function readerOfPair(
  db: Db,
  filter: RepoFilter,
  { lead }: Found,
  [first, second]: readonly OrderKey[],
  parts: readonly Part[],
): ((page: { readonly limit: number; readonly offset: number }) => Promise<readonly IssuePlace[]>) | undefined {
  const [part, ...others] = parts
  const isAlone = lead.by === 'pair' && pairsOf(filter).length === 1 && asksForPairsAlone(filter)
  if (!isAlone || !part || others.length > 0 || !first || second?.name !== 'id') return undefined
  const read = pagesOfPairs[lead.pair.table][first.direction]
  const { isPull, isClosed } = part
  return ({ limit, offset }) => read(db, lead.pair.key, filter.scope.repoId, isPull, isClosed, limit, offset)
}

/** Found by what the issues have, which knows their place; issues are looked at only for what it does not know. */
function branchOfPair(db: Db, filter: RepoFilter, pair: Pair, order: readonly OrderKey[], part: OfPart) {
  const others = pairsOf(filter).filter((each) => !isSame(each, pair))
  const own = db
    .selectFrom(`${pair.table as 'issue_label'} as pair` as const)
    .select([sql.ref('pair.issue_id').as('id'), 'pair.repo_id'])
    .select(order.filter(({ name }) => name !== 'id').map(({ name, value }) => value.as(name)))
    .where(sql<SqlBool>`${sql.ref(`pair.${pair.column}`)} = ${pair.key}`)
    .where(isOfPlace('pair', filter.scope.repoId, part))
    .where((where) => where.and(others.map((other) => hasPair(db, other, sql.ref('pair.issue_id'), undefined))))
  const needsIssue = !asksForPairsAlone(filter) || order.some(({ name }) => name !== 'id' && name !== 'created_unix')
  if (!needsIssue) return own
  return (
    own
      // In this order: the issue of each row that is come to is looked up.
      .crossJoin('issue')
      .where(sql<SqlBool>`issue.id = pair.issue_id`)
      .where((where) => where.and(conditions(db, where as never, withoutPairs(filter), { by: 'order' })))
  )
}
