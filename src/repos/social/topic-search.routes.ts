import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentTopicSearch } from './topic-search.present.ts'
import { TopicSearchResults } from './topic-search.schemas.ts'

export const topicSearch = operation({
  method: 'GET',
  path: '/topics/search',
  cost: 'usual',
  scope: 'repository',
  requires: [anyone],
  query: { q: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: TopicSearchResults },
  summary: 'Search topics',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { topics, total } = await presentTopicSearch(ctx, query.q ?? '', page)
    return paged({ topics }, page, total, { link: false })
  },
})
