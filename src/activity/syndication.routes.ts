import type { Ctx, RepoCtx } from '../access/context.ts'
import { canRead, gitRepo, inRepo } from '../access/repo.requirements.ts'
import { anyone, switchedOn } from '../access/requirements.ts'
import { presentTags } from '../code/branches/tag.present.ts'
import { getTagPage } from '../code/branches/tag.service.ts'
import { listCommits } from '../code/commits/commit.service.ts'
import { messageBody, shortCommit, subjectOf } from '../code/commits/message.rules.ts'
import { atWebAddress } from '../code/git-access.requirements.ts'
import type { Commit } from '../git/git.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes, redirect } from '../http/reply.ts'
import { enumeration, pathText } from '../http/schema.ts'
import { escapePath } from '../lib/escape-url.ts'
import { bytesOfEscapes, escapeXml } from '../lib/escape-xml.ts'
import { mapLimited } from '../lib/map-limited.ts'
import { formatUnix, parseTime } from '../lib/time.ts'
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
  type Syndicated,
  type SyndicationForm,
} from './syndication.present.ts'

const feedsOn = switchedOn('feedsEnabled', (config) => config.other.enableFeed)

const form = enumeration('rss', 'atom')

const feedReply = { 200: bytesOf('application/rss+xml', 'application/atom+xml') } as const

type Source = Parameters<typeof getFeed>[1]

const feedOf = (as: SyndicationForm, head: Syndicated, entries: readonly FeedEntry[]) =>
  bytes(syndicationTypes[as], presentSyndication(as, head, entries))

/** Returns the newest acts that the viewer may read. */
async function syndicated(ctx: Ctx, source: Source, as: SyndicationForm, about: { title: string; page: string }) {
  const page = { number: 1, limit: ctx.config.ui.feedPagingNum, offset: 0 }
  const { acts } = await getFeed(ctx, source, undefined, page)
  const head = { title: about.title, link: about.page, self: `${about.page}.${as}` }
  const entries = (await presentActs(ctx, acts)).map((act) => entryOfAct(ctx, act))
  return feedOf(as, head, entries)
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
  const hasRoom = ctx.budget.tryTake('outputBytes', bytesOfEscapes(notes))
  return {
    id: entryId(ctx, updated, `release/${release.id}`),
    title: title || tag,
    link: `${page}/releases/tag/${escapePath(tag)}`,
    author: publisher?.name ?? '',
    updated,
    content: { kind: 'html', escaped: hasRoom ? escapeXml(notes) : '' },
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
    return feedOf(params.form, head, entries)
  },
})

/** Returns a commit as an entry; the time is the one when it came to be as it is. */
function entryOfCommit(ctx: RepoCtx, commit: Commit): FeedEntry {
  const { oid, author, committer, message } = shortCommit(commit)
  const updated = formatUnix(committer.unixSeconds)
  return {
    id: entryId(ctx, updated, `repository/${ctx.repo.id}/commit/${oid}`),
    title: subjectOf(message),
    link: `${repoWebUrl(ctx)}/commit/${oid}`,
    author: author.name,
    updated,
    content: { kind: 'text', body: messageBody(message) },
  }
}

export const webBranchFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/{form}/branch/{filepath+}',
  cost: 'expensive',
  params: { form, filepath: pathText },
  scope: 'repository',
  requires: [anyone, feedsOn, inRepo, canRead('code'), gitRepo],
  reply: { ...feedReply, 303: 'empty' },
  summary: 'Get the newest commits of a branch, or of a file of a branch, as RSS or Atom',
  async run({ ctx, params: { form: as, filepath } }) {
    const at = await atWebAddress(ctx, as, `branch/${filepath}`)
    if ('movedTo' in at) return redirect(303, at.movedTo)
    const { revision, treePath: path } = at
    const page = { number: 1, limit: ctx.config.ui.feedPagingNum, offset: 0 }
    const { commits } = await listCommits(ctx, { revision: revision.commit, path, not: undefined }, page)
    const rest = [revision.name, path]
      .filter((part) => part !== '')
      .map(escapePath)
      .join('/')
    const head = {
      title: `Commits of ${repoFullName(ctx)}, ${revision.name}${path === '' ? '' : `: ${path}`}`,
      link: `${repoWebUrl(ctx)}/commits/branch/${rest}`,
      self: `${repoWebUrl(ctx)}/${as}/branch/${rest}`,
    }
    const entries = commits.slice(0, page.limit).map((commit) => entryOfCommit(ctx, commit))
    return feedOf(as, head, entries)
  },
})

export const webTagFeed = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/tags.{form}',
  cost: 'expensive',
  params: { form },
  scope: 'repository',
  requires: [anyone, feedsOn, inRepo, canRead('code'), gitRepo],
  reply: feedReply,
  summary: 'Get the newest tags of a repository as RSS or Atom',
  async run({ ctx, params }) {
    const page = { number: 1, limit: ctx.config.ui.feedPagingNum, offset: 0 }
    const { tags } = await getTagPage(ctx, page)
    const entries = (await presentTags(ctx, tags)).map(({ name, message, id, commit }): FeedEntry => {
      const updated = formatUnix(parseTime(commit?.created ?? '') ?? 0)
      return {
        id: entryId(ctx, updated, `repository/${ctx.repo.id}/tag/${id}`),
        title: name,
        link: `${repoWebUrl(ctx)}/src/tag/${escapePath(name)}`,
        author: '',
        updated,
        content: { kind: 'text', body: message },
      }
    })
    const link = `${repoWebUrl(ctx)}/tags`
    const head = { title: `Tags of ${repoFullName(ctx)}`, link, self: `${link}.${params.form}` }
    return feedOf(params.form, head, entries)
  },
})
