import { sql } from 'kysely'
import type { Counter } from '../access/contributions/counter.ts'
import { isWatcher } from './watcher.store.ts'

/** Kept counts of accounts, repositories and topics. */
export const repoCounters: readonly Counter[] = [
  { table: 'user', column: 'num_repos', count: sql`(select count(*) from repo where repo.owner_id = it.id)` },
  { table: 'user', column: 'num_stars', count: sql`(select count(*) from star where star.user_id = it.id)` },
  { table: 'repo', column: 'num_stars', count: sql`(select count(*) from star where star.repo_id = it.id)` },
  {
    table: 'repo',
    column: 'num_watches',
    count: sql`(select count(*) from watch where watch.repo_id = it.id and ${isWatcher()})`,
  },
  { table: 'repo', column: 'num_forks', count: sql`(select count(*) from repo as fork where fork.fork_id = it.id)` },
  ...[0, 1, 2, 3].map((audience) => ({
    table: 'topic',
    column: `num_seen_${audience}`,
    count: sql<number>`(select count(*) from repo_topic join repo on repo.id = repo_topic.repo_id
      where repo_topic.topic_id = it.id and repo.audience <= ${sql.lit(audience)})`,
  })),
]
