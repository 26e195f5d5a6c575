import { anyAccess, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { RepoTopicOptions, TopicName } from './topic.schemas.ts'
import { addTopic, removeTopic, replaceTopics, topicsOf } from './topic.service.ts'

export const repoListTopics = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/topics',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, anyAccess],
  query: pageQuery,
  reply: { 200: TopicName },
  summary: 'List the topics of a repository',
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
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin, validBody],
  body: RepoTopicOptions,
  reply: { 204: 'empty' },
  summary: 'Replace the topics of a repository',
  run: ({ ctx, body }) => replaceTopics(ctx, body.topics ?? []),
})

// The contract checks the sign-in before the rank, so guests get 401 (docs/differences.md).
export const repoAddTopic = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/topics/{topic}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Add a topic to a repository',
  run: ({ ctx, params }) => addTopic(ctx, params.topic),
})

export const repoDeleteTopic = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/topics/{topic}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, anyAccess, signedIn, repoAdmin],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Remove a topic from a repository',
  run: ({ ctx, params }) => removeTopic(ctx, params.topic),
})
