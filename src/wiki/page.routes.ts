import { Type } from 'typebox'
import { repoUnderQuota } from '../access/quota/quota.requirements.ts'
import { canWrite, inRepo, notArchived, wikiEnabled } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { decodeBase64 } from '../code/contents/file-change.rules.ts'
import { operation, validBody, type Call } from '../http/operation.ts'
import { escapedPathAfter } from '../http/path.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { BadRequest } from '../lib/errors.ts'
import { pageOf } from '../lib/paging.ts'
import { createPage, deletePage, editPage, type PageText } from './page-change.service.ts'
import { parsePageAddress, type PageAddress } from './page-name.rules.ts'
import { presentPage, presentPages, presentWikiCommits } from './page.present.ts'
import { CreateWikiPageOptions, WikiCommitList, WikiPage, WikiPageMetaData } from './page.schemas.ts'
import { getPage, listPages, listRevisions } from './page.service.ts'

/** The number of path parts before the name of the page: `/api/v1/repos/{username}/{reponame}/wiki/page/`. */
const partsBefore = 8

const pageAddressOf = (call: Pick<Call, 'url'>): PageAddress => parsePageAddress(escapedPathAfter(call, partsBefore))

function textOf(body: CreateWikiPageOptions): PageText {
  const content = decodeBase64(body.content_base64 ?? '')
  if (!content) throw new BadRequest('[content_base64]: must be base64', 'content_invalid')
  // Git truncates a message at a NUL.
  if (body.message?.includes('\0')) throw new BadRequest('[message]: must not contain NUL', 'message_invalid')
  return { title: body.title ?? '', content, message: body.message?.trim() ?? '' }
}

/** The largest limit of a list of pages. */
const maxListed = 1000

export const repoGetWikiPages = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/wiki/pages',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(WikiPageMetaData) },
  summary: 'List the wiki pages',
  async run({ ctx, query }) {
    // A limit of one is ignored (observed).
    const limit = query.limit === 1 ? undefined : query.limit
    const page = pageOf({ ...query, limit }, { ...ctx.config.api, maxResponseItems: maxListed })
    const { pages, total } = await listPages(ctx, page)
    return paged(presentPages(ctx, pages), page, total, { link: false })
  },
})

export const repoGetWikiPage = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/wiki/page/{pageName+}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  reply: { 200: WikiPage },
  summary: 'Get a wiki page',
  run: async ({ ctx, call }) => ok(presentPage(ctx, await getPage(ctx, pageAddressOf(call)))),
})

export const repoGetWikiPageRevisions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/wiki/revisions/{pageName+}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, wikiEnabled],
  query: { page: Type.Optional(Type.Integer()) },
  reply: { 200: WikiCommitList },
  summary: 'List the revisions of a wiki page',
  async run({ ctx, call, query }) {
    const { commitsRangeSize } = ctx.config.git
    const page = pageOf(query, { defaultPagingNum: commitsRangeSize, maxResponseItems: commitsRangeSize })
    const { commits, total } = await listRevisions(ctx, pageAddressOf(call).name, page)
    return paged({ commits: presentWikiCommits(ctx, commits), count: total }, page, total, { link: false })
  },
})

export const repoCreateWikiPage = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/wiki/new',
  cost: 'expensive',
  scope: 'repository',
  requires: [
    inRepo,
    wikiEnabled,
    signedIn,
    notArchived,
    canWrite('wiki'),
    validBody,
    repoUnderQuota('size:assets:wiki'),
  ],
  refuses: [409],
  body: CreateWikiPageOptions,
  carriesFiles: true,
  reply: { 201: WikiPage },
  summary: 'Create a wiki page',
  run: async ({ ctx, body }) => created(presentPage(ctx, await createPage(ctx, textOf(body)))),
})

export const repoEditWikiPage = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/wiki/page/{pageName+}',
  cost: 'expensive',
  scope: 'repository',
  requires: [
    inRepo,
    wikiEnabled,
    notArchived,
    signedIn,
    canWrite('wiki'),
    validBody,
    repoUnderQuota('size:assets:wiki'),
  ],
  refuses: [409],
  body: CreateWikiPageOptions,
  carriesFiles: true,
  reply: { 200: WikiPage },
  summary: 'Edit a wiki page',
  async run({ ctx, call, body }) {
    const page = await editPage(ctx, pageAddressOf(call).name, textOf(body), body.last_commit_sha || undefined)
    return ok(presentPage(ctx, page))
  },
})

export const repoDeleteWikiPage = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/wiki/page/{pageName+}',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, wikiEnabled, notArchived, signedIn, canWrite('wiki')],
  refuses: [409],
  query: { last_commit_sha: Type.Optional(Type.String()) },
  reply: { 204: 'empty' },
  summary: 'Delete a wiki page',
  run: ({ ctx, call, query }) => deletePage(ctx, pageAddressOf(call).name, query.last_commit_sha || undefined),
})
