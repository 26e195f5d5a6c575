import { sql } from 'kysely'
import type { OrderKey } from '../db/deep-page.ts'

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

type Direction = OrderKey['direction']
const column = (name: string, direction: Direction): OrderKey => ({
  name: name.slice(name.indexOf('.') + 1),
  value: sql.ref(name),
  direction,
})
const created = (direction: Direction): OrderKey[] => [
  column('issue.created_unix', direction),
  column('issue.id', direction),
]

/** Orders that are nothing but the time of creation, which other indexes have as well. */
export const isByCreation = (sort: IssueSort): boolean => sort === 'latest' || sort === 'relevance' || sort === 'oldest'

/** The same order, which no index has: for rows that are found otherwise, and sorted. */
export const unindexed = (order: readonly OrderKey[]): readonly OrderKey[] =>
  order.map((key) => ({ ...key, value: sql`${key.value} + 0` }))

/**
 * What each order compares, the first first. Each has an index that has it behind repository, kind and state.
 * Ties are by creation (contract, issues: lists).
 */
export function orderOf(sort: IssueSort): readonly OrderKey[] {
  switch (sort) {
    case 'oldest':
      return created('asc')
    case 'recentupdate':
      return [column('issue.updated_unix', 'desc'), ...created('desc')]
    case 'leastupdate':
      return [column('issue.updated_unix', 'asc'), ...created('asc')]
    case 'mostcomment':
      return [column('issue.num_comments', 'desc'), ...created('desc')]
    case 'leastcomment':
      return [column('issue.num_comments', 'asc'), ...created('desc')]
    case 'farduedate':
      return [column('issue.listed_due_unix', 'desc'), ...created('desc')]
    case 'nearduedate':
      return [column('issue.nearest_due_unix', 'asc'), ...created('desc')]
    case 'latest':
    case 'relevance':
    default:
      return created('desc')
  }
}
