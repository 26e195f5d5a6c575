import { sql } from 'kysely'
import type { OrderKey } from '../../db/merged-page.ts'
import type { CursorKey } from '../../lib/cursor.ts'
import type { IssueKey } from '../issue.store.ts'

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

const column = (name: string, direction: OrderKey['direction']): OrderKey => ({
  name,
  value: sql.ref(`issue.${name}`),
  direction,
})
const created = (direction: OrderKey['direction']): OrderKey[] => [
  column('created_unix', direction),
  column('id', direction),
]

const newestFirst = created('desc')
const orders: Readonly<Record<IssueSort, readonly OrderKey[]>> = {
  relevance: newestFirst,
  latest: newestFirst,
  oldest: created('asc'),
  recentupdate: [column('updated_unix', 'desc'), ...newestFirst],
  leastupdate: [column('updated_unix', 'asc'), ...created('asc')],
  mostcomment: [column('num_comments', 'desc'), ...newestFirst],
  leastcomment: [column('num_comments', 'asc'), ...newestFirst],
  farduedate: [column('listed_due_unix', 'desc'), ...newestFirst],
  nearduedate: [column('nearest_due_unix', 'asc'), ...newestFirst],
}

/**
 * Returns the keys of an order. For each order, an index of issues has these keys behind repository, kind and state.
 * Issues that are equal otherwise are ordered by creation (contract, issues: lists).
 */
export const orderOf = (sort: IssueSort): readonly OrderKey[] => orders[sort]

/** Returns whether an order is that of creation, which the indexes of most filters have. */
export const isByCreation = (sort: IssueSort): boolean => sort === 'latest' || sort === 'relevance' || sort === 'oldest'

/** Returns whether an order is that of the latest change. */
export const isByChange = (sort: IssueSort): boolean => sort === 'recentupdate' || sort === 'leastupdate'

/** Returns the keys of the last row, which are selected under their names. */
export function keyOf(order: readonly OrderKey[], keys: readonly IssueKey[]): CursorKey | undefined {
  const row = keys.at(-1) as unknown as Readonly<Record<string, unknown>> | undefined
  return row && order.map(({ name }) => Number(row[name]))
}
