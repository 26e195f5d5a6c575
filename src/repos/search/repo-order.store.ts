import { sql } from 'kysely'
import type { OrderKey } from '../../db/merged-page.ts'
import type { UserId } from '../../lib/ids.ts'

export type RepoOrder =
  | 'name'
  | 'alpha'
  | 'created'
  | 'updated'
  | 'size'
  | 'git_size'
  | 'lfs_size'
  | 'stars'
  | 'forks'
  | 'id'

export interface RepoSort {
  readonly by: RepoOrder
  readonly descending: boolean
  /** The repositories of this account come first, then those of each other owner. */
  readonly firstOwnerId?: UserId | undefined
}

const column = (name: string) => sql.ref(`repo.${name}`)
const columns = {
  name: [column('lower_name')],
  alpha: [column('owner_lower_name'), column('lower_name')],
  created: [column('created_unix')],
  updated: [column('updated_unix')],
  size: [sql<number>`(repo.git_size_bytes + repo.lfs_size_bytes)`],
  git_size: [column('git_size_bytes')],
  lfs_size: [column('lfs_size_bytes')],
  stars: [column('num_stars')],
  forks: [column('num_forks')],
  id: [],
} as const satisfies Record<RepoOrder, readonly unknown[]>

/**
 * Returns the keys of an order. For each order, an index has these keys behind the audience. Repositories that are equal
 * otherwise are ordered by id.
 */
export function orderOf({ by, descending, firstOwnerId }: RepoSort): readonly OrderKey[] {
  const direction = descending ? 'desc' : 'asc'
  const isOther = sql<number>`case when repo.owner_id = ${firstOwnerId} then 0 else 1 end`
  const owners: readonly OrderKey[] = [
    { name: 'key_other', value: isOther, direction: 'asc' },
    { name: 'key_owner', value: column('owner_id'), direction: 'asc' },
  ]
  return [
    ...(firstOwnerId === undefined ? [] : owners),
    ...columns[by].map((value, index) => ({ name: `key_${index}`, value, direction }) as const),
    { name: 'repo_id', value: column('id'), direction },
  ]
}
