import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'

/** Counters of accounts. */
export const accountCounters: readonly Counter[] = [
  { table: 'user', column: 'num_followers', count: sql`(select count(*) from follow where follow.user_id = it.id)` },
  {
    table: 'user',
    column: 'num_following',
    count: sql`(select count(*) from follow where follow.follower_id = it.id)`,
  },
]
