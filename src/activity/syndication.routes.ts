import type { Ctx } from '../access/context.ts'
import { inRepo } from '../access/repo.requirements.ts'
import { anyone, switchedOn } from '../access/requirements.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { enumeration } from '../http/schema.ts'
import { repoFullName, repoWebUrl } from '../repos/repo-url.ts'
import { namedUser, userVisible } from '../users/subject.requirements.ts'
import { presentActs } from './feed.present.ts'
import { getFeed } from './feed.service.ts'
import { presentSyndication, syndicationTypes, type SyndicationForm } from './syndication.present.ts'

const feedsOn = switchedOn('feedsEnabled', (config) => config.other.enableFeed)

const form = enumeration('rss', 'atom')

const feedReply = { 200: bytesOf('application/rss+xml', 'application/atom+xml') }

type Source = Parameters<typeof getFeed>[1]

/** Returns the newest acts that the viewer may read. */
async function syndicated(ctx: Ctx, source: Source, as: SyndicationForm, about: { title: string; page: string }) {
  const page = { number: 1, limit: ctx.config.ui.feedPagingNum, offset: 0 }
  const { acts } = await getFeed(ctx, source, undefined, page)
  const place = { title: about.title, link: about.page, self: `${about.page}.${as}` }
  return bytes(syndicationTypes[as], presentSyndication(ctx, as, place, await presentActs(ctx, acts)))
}

export const webUserFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}.{form}',
  params: { form },
  scope: 'user',
  requires: [anyone, feedsOn, namedUser, userVisible],
  reply: feedReply,
  summary: 'Get the activity of an account and its repositories as RSS or Atom',
  run: ({ ctx, params }) => {
    const { id, name } = ctx.subject
    const about = { title: `Activity of ${name}`, page: `${ctx.config.server.rootUrl}${name}` }
    return syndicated(ctx, { of: 'account', id, ownActsOnly: false }, params.form, about)
  },
})

export const webRepoFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}.{form}',
  params: { form },
  scope: 'repository',
  requires: [anyone, feedsOn, inRepo],
  reply: feedReply,
  summary: 'Get the activity of a repository as RSS or Atom',
  run: ({ ctx, params }) => {
    const about = { title: `Activity of ${repoFullName(ctx)}`, page: repoWebUrl(ctx) }
    return syndicated(ctx, { of: 'repository', id: ctx.repo.id }, params.form, about)
  },
})
