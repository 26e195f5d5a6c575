import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { rangesAfter, type OrderKey } from '../../db/merged-page.ts'
import type { Schema } from '../../db/schema.ts'
import type { CursorKey } from '../../lib/cursor.ts'
import type { LabelId } from '../../lib/ids.ts'
import { anyLabel, conditions, issuesById, passedOver, type RepoFilter } from '../search/issue-filter.store.ts'
import type { IssueKey } from '../issue.store.ts'

/**
 * A table of what issues have. Its rows repeat repository, kind, state and creation of the issue, so that an index has the
 * issues of one label, assignee or mentioned account in the order of creation.
 */
interface Pair {
  readonly table: 'issue_label' | 'issue_assignee' | 'issue_mention'
  readonly column: 'label_id' | 'user_id'
  readonly key: number
}

/** What finds the rows of a list. All other filters are checked in the rows that it finds. */
export type Lead =
  /** The index of an order: every issue of the kind and state. */
  | { readonly by: 'order' }
  /** One label, assignee or mentioned account. */
  | { readonly by: 'pair'; readonly pair: Pair }
  /** Any of several labels. */
  | { readonly by: 'labels'; readonly labels: readonly LabelId[] }
  /** Columns of issues. */
  | { readonly by: 'milestone' | 'poster' | 'times' }
  /** Issues that the text index found. */
  | { readonly by: 'ids'; readonly ids: Expression<unknown> }

/** A kind and a state. An absent one means both. */
export interface KindAndState {
  readonly isPull?: boolean
  readonly isClosed?: boolean
}

/** How a list finds its rows. */
export interface Access {
  readonly lead: Lead
  readonly order: readonly OrderKey[]
  /** False: the index of the lead has the order. True: the matching rows are sorted. */
  readonly isSorted: boolean
}

function pairsOf({ allLabels = [], anyLabels, assigneeId, mentionedId }: RepoFilter): readonly Pair[] {
  const labels = anyLabels?.length === 1 ? [...allLabels, ...anyLabels] : allLabels
  return [
    ...labels.map((key) => ({ table: 'issue_label', column: 'label_id', key }) as const),
    ...(assigneeId === undefined ? [] : [{ table: 'issue_assignee', column: 'user_id', key: assigneeId } as const]),
    ...(mentionedId === undefined ? [] : [{ table: 'issue_mention', column: 'user_id', key: mentionedId } as const]),
  ]
}

function withoutPairs(filter: RepoFilter): RepoFilter {
  const { allLabels: _all, anyLabels, assigneeId: _assignee, mentionedId: _mentioned, ...others } = filter
  return anyLabels && anyLabels.length > 1 ? { ...others, anyLabels } : others
}

/** Returns the filters that can lead, each with the filter that contains nothing else. */
export function leadsOf(filter: RepoFilter): readonly { readonly lead: Lead; readonly alone: RepoFilter }[] {
  const { scope, isPull, isClosed, anyLabels, milestoneIds, posterId, sinceUnix, beforeUnix } = filter
  const base: RepoFilter = { scope, isPull, isClosed }
  return [
    ...pairsOf(filter).map((pair) => ({ lead: { by: 'pair', pair } as const, alone: base })),
    ...(anyLabels && anyLabels.length > 1 ? [{ lead: { by: 'labels', labels: anyLabels } as const, alone: base }] : []),
    ...(milestoneIds ? [{ lead: { by: 'milestone' } as const, alone: { ...base, milestoneIds } }] : []),
    ...(posterId === undefined ? [] : [{ lead: { by: 'poster' } as const, alone: { ...base, posterId } }]),
    ...(sinceUnix === undefined && beforeUnix === undefined
      ? []
      : [{ lead: { by: 'times' } as const, alone: { ...base, sinceUnix, beforeUnix } }]),
  ]
}

/** Returns whether a filter has members that cannot lead, so that it leaves fewer issues than its leads find. */
export function isNarrowed(filter: RepoFilter): boolean {
  const {
    scope: _scope,
    isPull: _kinds,
    isClosed: _state,
    anyLabels: _labels,
    milestoneIds: _milestones,
    posterId: _poster,
    sinceUnix: _since,
    beforeUnix: _before,
    ...others
  } = withoutPairs(filter)
  return Object.values(others).some((value) => value !== undefined)
}

/** A query of issues that can be ordered, limited, counted and merged. */
export type Matching = SelectQueryBuilder<Schema, 'issue', IssueKey>

/** The issues of one part that a filter leaves, in no order, and the keys that order them. */
interface OrderedQuery {
  readonly query: Matching
  readonly order: readonly OrderKey[]
}

/** Returns the issues of one part that a filter leaves, with the keys of the order, in no order. */
export const matching = (db: Db, filter: RepoFilter, access: Access, part: KindAndState): Matching =>
  queryOf(db, filter, access, part).query

/** Returns the kinds and states that a filter asks for; an index has each in the order. */
export function partsOf({ isPull, isClosed }: RepoFilter): readonly Required<KindAndState>[] {
  const states = isClosed === undefined ? [false, true] : [isClosed]
  return isPull.flatMap((kind) => states.map((state) => ({ isPull: kind, isClosed: state })))
}

/**
 * Returns the issues that a filter leaves, as one query for each range of the index, in no order.
 * @param after the keys of a row; the queries have only the rows behind it
 */
export const rangesOf = (
  db: Db,
  filter: RepoFilter,
  access: Access,
  after: CursorKey | undefined,
): readonly Matching[] =>
  partsOf(filter).flatMap((part) => {
    const { query, order } = queryOf(db, filter, access, part)
    return after ? rangesAfter(order, after).map((range) => query.where(range)) : [query]
  })

const queryOf = (db: Db, filter: RepoFilter, access: Access, part: KindAndState): OrderedQuery =>
  access.lead.by === 'pair'
    ? findPair(db, filter, access, access.lead.pair, part)
    : findIssue(db, filter, access, access.lead, part)

/** Neither database uses the index of an order for rows that are to be sorted. */
const sorted = (key: OrderKey): OrderKey => ({ ...key, value: sql`${key.value} + 0` })

function findIssue(
  db: Db,
  filter: RepoFilter,
  { order, isSorted }: Access,
  lead: Exclude<Lead, { by: 'pair' }>,
  part: KindAndState,
): OrderedQuery {
  const keys = isSorted ? order.map(sorted) : order
  const ids = lead.by === 'ids' ? lead.ids : lead.by === 'labels' ? anyLabel(db, lead.labels) : undefined
  const indexed = (name: 'repo_id' | 'is_pull' | 'is_closed', isIndexed: boolean) =>
    isIndexed ? sql.ref(`issue.${name}`) : passedOver(db, name)
  const query = issuesById(db, ids)
    .select(['issue.id', 'issue.repo_id'])
    .select(selected(keys))
    .where((where) =>
      where.and([
        sql<SqlBool>`${indexed('repo_id', !ids && lead.by !== 'milestone')} = ${filter.scope.repoId}`,
        ...ofPart(part, (name) => indexed(name, !ids)),
        ...conditions(db, where, withoutPairs(filter), ids ? 'ids' : (lead.by as 'order')),
        ...pairsOf(filter).map((pair) => hasPair(pair, sql.ref('issue.id'))),
      ]),
    )
  return { query, order: keys }
}

/** Reads the rows of a pair in its index, and the issue of each only where the filter or the order needs it. */
function findPair(db: Db, filter: RepoFilter, { order }: Access, pair: Pair, part: KindAndState): OrderedQuery {
  const rest = withoutPairs(filter)
  const { scope, isPull: _kinds, isClosed: _state, ...conditionsOfIssue } = rest
  const repeated: Readonly<Record<string, string>> = { id: 'pair.issue_id', created_unix: 'pair.created_unix' }
  const keys = order.map((key) => {
    const column = repeated[key.name]
    return column === undefined ? sorted(key) : { ...key, value: sql.ref(column) }
  })
  const isInPair =
    order.every(({ name }) => name in repeated) &&
    Object.values(conditionsOfIssue).every((value) => value === undefined)
  const own = db
    .selectFrom(`${pair.table as 'issue_label'} as pair` as const)
    .select([sql.ref('pair.issue_id').as('id'), 'pair.repo_id'])
    .select(selected(keys))
    .where(sql<SqlBool>`${sql.ref(`pair.${pair.column}`)} = ${pair.key}`)
    .where('pair.repo_id', '=', scope.repoId)
    .where((where) => where.and(ofPart(part, (name) => sql.ref(`pair.${name}`))))
    .where((where) =>
      where.and(
        pairsOf(filter)
          .filter((other) => other.table !== pair.table || other.key !== pair.key)
          .map((other) => hasPair(other, sql.ref('pair.issue_id'))),
      ),
    )
  if (isInPair) return { query: own as unknown as Matching, order: keys }
  const query = own
    .crossJoin('issue')
    .where(sql<SqlBool>`issue.id = pair.issue_id`)
    .where((where) => where.and(conditions(db, where as never, rest, 'order')))
  return { query: query as unknown as Matching, order: keys }
}

/** The keys of an order beside the id, which is selected anyway. */
const selected = (order: readonly OrderKey[]) =>
  order.filter(({ name }) => name !== 'id').map(({ name, value }) => value.as(name))

const ofPart = (
  { isPull, isClosed }: KindAndState,
  column: (name: 'is_pull' | 'is_closed') => RawBuilder<unknown>,
): RawBuilder<SqlBool>[] => [
  ...(isPull === undefined ? [] : [sql<SqlBool>`${column('is_pull')} = ${sql.lit(isPull)}`]),
  ...(isClosed === undefined ? [] : [sql<SqlBool>`${column('is_closed')} = ${sql.lit(isClosed)}`]),
]

const hasPair = ({ table, column, key }: Pair, issueId: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from ${sql.table(table)} as other
    where other.issue_id = ${issueId} and ${sql.ref(`other.${column}`)} = ${key})`
