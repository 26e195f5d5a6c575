import { sql, type RawBuilder } from 'kysely'

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

/** One number that an order compares: the name under which lists that are merged have it, and what it is of an issue. */
interface OrderKey {
  readonly name: string
  readonly value: RawBuilder<unknown>
  readonly direction: 'asc' | 'desc'
}

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
      return [
        // Those without a date come last.
        { name: 'has_no_date', value: sql`(issue.listed_due_unix = 0)`, direction: 'asc' },
        column('issue.listed_due_unix', 'asc'),
        ...created('desc'),
      ]
    case 'latest':
    case 'relevance':
    default:
      return created('desc')
  }
}
