import type { Ctx } from '../../access/context.ts'
import type { Page } from '../../lib/paging.ts'
import { formatUnix } from '../../lib/time.ts'
import { searchTopics } from './topic-search.store.ts'
import type { TopicResponse } from './topic-search.schemas.ts'

/**
 * One page of the topics whose name has a part, the most used first, and how many there are. Repositories that the viewer
 * may not see neither show nor count.
 */
export async function presentTopicSearch(
  ctx: Ctx,
  part: string,
  page: Page,
): Promise<{ topics: TopicResponse[]; total: number }> {
  const found = await searchTopics(ctx.db, ctx.viewer, part, page)
  const topics = found.topics.map((row) => ({
    id: row.id,
    topic_name: row.name,
    repo_count: row.repo_count,
    created: formatUnix(row.created_unix),
    updated: formatUnix(row.updated_unix),
  }))
  return { topics, total: found.total }
}
