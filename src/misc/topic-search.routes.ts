import { Type } from 'typebox'
import { anyone } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { formatUnix } from '../lib/time.ts'
import { countTopics, searchTopics } from './topic-search.store.ts'
import { TopicSearchResults } from './topic.schemas.ts'

export const topicSearch = operation({
  method: 'GET',
  path: '/topics/search',
  scope: 'repository',
  requires: [anyone],
  query: { q: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: TopicSearchResults },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const part = query.q ?? ''
    const [rows, total] = await Promise.all([
      searchTopics(ctx.db, part, page.limit, page.offset),
      countTopics(ctx.db, part),
    ])
    const topics = rows.map((row) => ({
      id: row.id,
      topic_name: row.name,
      // Private repositories count as well (observed).
      repo_count: row.repo_count,
      created: formatUnix(row.created_unix),
      updated: formatUnix(row.updated_unix),
    }))
    return paged({ topics }, page, total, { link: false })
  },
})
