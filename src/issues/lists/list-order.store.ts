import { sql } from 'kysely'
import type { OrderKey } from '../../db/merged-page.ts'

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

/**
 * Returns the keys of an order. For each order, an index of issues has these keys behind repository, kind and state.
 * Issues that are equal otherwise are ordered by creation (contract, issues: lists).
 */
export function orderOf(sort: IssueSort): readonly OrderKey[] {
  switch (sort) {
    case 'oldest':
      return created('asc')
    case 'recentupdate':
      return [column('updated_unix', 'desc'), ...created('desc')]
    case 'leastupdate':
      return [column('updated_unix', 'asc'), ...created('asc')]
    case 'mostcomment':
      return [column('num_comments', 'desc'), ...created('desc')]
    case 'leastcomment':
      return [column('num_comments', 'asc'), ...created('desc')]
    case 'farduedate':
      return [column('listed_due_unix', 'desc'), ...created('desc')]
    case 'nearduedate':
      return [column('nearest_due_unix', 'asc'), ...created('desc')]
    case 'latest':
    case 'relevance':
    default:
      return created('desc')
  }
}

/** Returns whether an order is that of creation, which the indexes of most filters have. */
export const isByCreation = (sort: IssueSort): boolean => sort === 'latest' || sort === 'relevance' || sort === 'oldest'

/** Returns whether an order is that of the latest change. */
export const isByChange = (sort: IssueSort): boolean => sort === 'recentupdate' || sort === 'leastupdate'
