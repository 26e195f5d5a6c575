import { anyAccess, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { noContent, paged } from '../../http/reply.ts'
import { pageQuery, pathText } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { RepoTopicOptions, TopicName } from './topic.schemas.ts'
import { addTopic, removeTopic, replaceTopics, topicsOf } from './topic.service.ts'

export const repoListTopics = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/topics',
  scope: 'repository',
  requires: [inRepo, anyAccess],
  query: pageQuery,
  reply: { 200: TopicName },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const topics = topicsOf(ctx)
    const shown = topics.slice(page.offset, page.offset + page.limit)
    return paged({ topics: shown }, page, topics.length, { link: false })
  },
})

export const repoUpdateTopics = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/topics',
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin, validBody],
  body: RepoTopicOptions,
  reply: { 204: 'empty' },
  async run({ ctx, body }) {
    await replaceTopics(ctx, body.topics ?? [])
    return noContent()
  },
})

// The contract checks the sign-in before the rank, so guests get 401 (docs/differences.md).
export const repoAddTopic = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/topics/{topic}',
  params: { topic: pathText },
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await addTopic(ctx, params.topic)
    return noContent()
  },
})

export const repoDeleteTopic = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/topics/{topic}',
  params: { topic: pathText },
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await removeTopic(ctx, params.topic)
    return noContent()
  },
})
