import { sql } from 'kysely'
import type { Counter } from '../access/counter.ts'

/** Counts of accounts and repositories. */
export const repoCounters: readonly Counter[] = [
  { table: 'user', column: 'num_repos', count: sql`(select count(*) from repo where repo.owner_id = it.id)` },
  { table: 'user', column: 'num_stars', count: sql`(select count(*) from star where star.user_id = it.id)` },
  { table: 'repo', column: 'num_stars', count: sql`(select count(*) from star where star.repo_id = it.id)` },
  {
    table: 'repo',
    column: 'num_watches',
    count: sql`(select count(*) from watch where watch.repo_id = it.id and watch.mode <> 'dont')`,
  },
  { table: 'repo', column: 'num_forks', count: sql`(select count(*) from repo as fork where fork.fork_id = it.id)` },
]
