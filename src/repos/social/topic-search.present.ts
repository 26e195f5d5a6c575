import type { Ctx } from '../../access/context.ts'
import type { Page } from '../../lib/paging.ts'
import { formatUnix } from '../../lib/time.ts'
import { searchTopics } from './topic-search.store.ts'
import type { TopicResponse } from './topic-search.schemas.ts'

/**
 * Presents a page of the topics whose name contains a text, the most used first, and their number. Only visible
 * repositories count.
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
