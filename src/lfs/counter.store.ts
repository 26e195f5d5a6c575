import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'

/** Size of a repository's LFS objects, in the row of the repository. */
export const lfsCounters: readonly Counter[] = [
  {
    table: 'repo',
    column: 'lfs_size_bytes',
    count: sql`(select cast(coalesce(sum(lfs_object.size_bytes), 0) as bigint) from lfs_object where lfs_object.repo_id = it.id)`,
  },
]
