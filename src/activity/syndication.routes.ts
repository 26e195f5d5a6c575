import type { Ctx, RepoCtx } from '../access/context.ts'
import { canRead, inRepo } from '../access/repo.requirements.ts'
import { anyone, switchedOn } from '../access/requirements.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { enumeration } from '../http/schema.ts'
import { escapePath } from '../lib/escape-url.ts'
import { escapeXml } from '../lib/escape-xml.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { formatUnix } from '../lib/time.ts'
import { getReleaseDetails, type ReleaseDetails } from '../releases/release-details.service.ts'
import { getReleasePage } from '../releases/release.service.ts'
import { repoFullName, repoWebUrl } from '../repos/repo-url.ts'
import { renderText } from '../site/render.service.ts'
import { namedUser, userVisible } from '../users/subject.requirements.ts'
import { presentActs } from './feed.present.ts'
import { getFeed } from './feed.service.ts'
import {
  entryId,
  entryOfAct,
  presentSyndication,
  syndicationTypes,
  type FeedEntry,
  type SyndicationForm,
} from './syndication.present.ts'

const feedsOn = switchedOn('feedsEnabled', (config) => config.other.enableFeed)

const form = enumeration('rss', 'atom')

const feedReply = { 200: bytesOf('application/rss+xml', 'application/atom+xml') }

type Source = Parameters<typeof getFeed>[1]

/** Returns the newest acts that the viewer may read. */
async function syndicated(ctx: Ctx, source: Source, as: SyndicationForm, about: { title: string; page: string }) {
  const page = { number: 1, limit: ctx.config.ui.feedPagingNum, offset: 0 }
  const { acts } = await getFeed(ctx, source, undefined, page)
  const head = { title: about.title, link: about.page, self: `${about.page}.${as}` }
  const entries = (await presentActs(ctx, acts)).map((act) => entryOfAct(ctx, act))
  return bytes(syndicationTypes[as], presentSyndication(as, head, entries))
}

export const webUserFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}.{form}',
  cost: 'usual',
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
  cost: 'usual',
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

/** Releases in a feed: their notes may be long. */
const releasesInFeed = 10

/** Notes that are rendered at once: the renderer refuses when too many wait. */
const renderedAtOnce = 4

async function entryOfRelease(ctx: RepoCtx, { release, publisher }: ReleaseDetails): Promise<FeedEntry> {
  const { tag_name: tag, title, content } = release
  const page = repoWebUrl(ctx)
  const updated = formatUnix(release.created_unix)
  const notes = await renderText(ctx, content, 'comment', { context: page }, ctx)
  // The notes took their bytes, and escaping adds to them.
  const hasRoom = ctx.budget.tryTake('outputBytes', Buffer.byteLength(escapeXml(notes)) - Buffer.byteLength(notes))
  return {
    id: entryId(ctx, updated, `release/${release.id}`),
    title: title || tag,
    link: `${page}/releases/tag/${escapePath(tag)}`,
    author: publisher?.name ?? '',
    updated,
    content: { kind: 'html', body: hasRoom ? notes : '' },
  }
}

export const webReleaseFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/releases.{form}',
  cost: 'usual',
  params: { form },
  scope: 'repository',
  requires: [anyone, feedsOn, inRepo, canRead('releases')],
  reply: feedReply,
  summary: 'Get the newest published releases of a repository as RSS or Atom',
  async run({ ctx, params }) {
    const about = { title: `Releases of ${repoFullName(ctx)}`, link: `${repoWebUrl(ctx)}/releases` }
    const filter = { isDraft: false, isPrerelease: undefined, text: undefined }
    const { releases } = await getReleasePage(ctx, filter, { number: 1, limit: releasesInFeed, offset: 0 })
    const details = await getReleaseDetails(ctx, releases)
    const entries = await mapLimited(details, renderedAtOnce, (each) => entryOfRelease(ctx, each))
    const head = { ...about, self: `${about.link}.${params.form}` }
    return bytes(syndicationTypes[params.form], presentSyndication(params.form, head, entries))
  },
})
