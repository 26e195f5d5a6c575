import { Type } from 'typebox'
import { repoUnderQuota } from '../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { presentRelease, presentReleases } from './release.present.ts'
import { CreateReleaseOption, EditReleaseOption, Release } from './release.schemas.ts'
import {
  createRelease,
  editRelease,
  getLatestRelease,
  getRelease,
  getReleaseByTag,
  getReleasePage,
  removeRelease,
  type ReleaseInput,
} from './release.service.ts'

const inputOf = (body: EditReleaseOption): ReleaseInput => ({
  tagName: body.tag_name,
  target: body.target_commitish,
  title: body.name,
  content: body.body,
  isDraft: body.draft,
  isPrerelease: body.prerelease,
  hidesArchiveLinks: body.hide_archive_links,
})

export const repoListReleases = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  query: {
    draft: Type.Optional(Type.Boolean()),
    'pre-release': Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String()),
    ...pageQuery,
  },
  reply: { 200: Type.Array(Release) },
  summary: 'List the releases of a repository, newest first',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { draft: isDraft, 'pre-release': isPrerelease, q: text } = query
    const { releases, total } = await getReleasePage(ctx, { isDraft, isPrerelease, text }, page)
    return paged(await presentReleases(ctx, releases), page, total)
  },
})

export const repoCreateRelease = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/releases',
  cost: 'usual',
  scope: 'repository',
  refuses: [409],
  requires: [
    inRepo,
    canRead('releases'),
    signedIn,
    canWrite('releases'),
    gitRepo,
    validBody,
    repoUnderQuota('size:repos:all'),
  ],
  body: CreateReleaseOption,
  reply: { 201: Release },
  summary: 'Publish a release, or create a draft',
  run: async ({ ctx, body }) =>
    created(await presentRelease(ctx, await createRelease(ctx, body.tag_name, inputOf(body)))),
})

export const repoGetLatestRelease = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases/latest',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  reply: { 200: Release },
  summary: 'Get the newest release that is neither a draft nor a pre-release',
  run: async ({ ctx }) => ok(await presentRelease(ctx, await getLatestRelease(ctx))),
})

export const repoGetRelease = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  reply: { 200: Release },
  summary: 'Get a release',
  run: async ({ ctx, params }) => ok(await presentRelease(ctx, await getRelease(ctx, params.id))),
})

export const repoEditRelease = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/releases/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [
    inRepo,
    canRead('releases'),
    signedIn,
    canWrite('releases'),
    gitRepo,
    validBody,
    repoUnderQuota('size:repos:all'),
  ],
  refuses: [409],
  body: EditReleaseOption,
  reply: { 200: Release },
  summary: 'Edit a release; publishing a draft creates its tag',
  run: async ({ ctx, params, body }) =>
    ok(await presentRelease(ctx, await editRelease(ctx, await getRelease(ctx, params.id), inputOf(body)))),
})

export const repoDeleteRelease = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/releases/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, canRead('releases'), signedIn, canWrite('releases')],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Delete a release; its tag stays',
  run: async ({ ctx, params }) => removeRelease(ctx, await getRelease(ctx, params.id)),
})

export const repoGetReleaseByTag = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/releases/tags/{tag}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases')],
  reply: { 200: Release },
  summary: 'Get the release of a tag',
  run: async ({ ctx, params }) => ok(await presentRelease(ctx, await getReleaseByTag(ctx, params.tag))),
})

export const repoDeleteReleaseByTag = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/releases/tags/{tag}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('releases'), signedIn, canWrite('releases')],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Delete the release of a tag; the tag stays',
  run: async ({ ctx, params }) => removeRelease(ctx, await getReleaseByTag(ctx, params.tag)),
})
