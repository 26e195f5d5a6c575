import { Type } from 'typebox'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { BadRequest } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { findRevision } from '../commits/named-commit.service.ts'
import { presentAnnotatedTag, presentTag, presentTags } from './tag.present.ts'
import { AnnotatedTag, CreateTagOption, Tag } from './tag.schemas.ts'
import { createTag, getTag, getTagPage, removeTag } from './tag.service.ts'

export const repoListTags = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/tags',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, canRead('code'), gitRepo],
  query: pageQuery,
  reply: { 200: Type.Array(Tag) },
  summary: 'List the tags',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { tags, total } = await getTagPage(ctx, page)
    return paged(await presentTags(ctx, tags), page, total, { link: false })
  },
})

export const repoGetTag = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/tags/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code'), gitRepo],
  reply: { 200: Tag },
  summary: 'Get a tag',
  run: async ({ ctx, params }) => ok(await presentTag(ctx, await getTag(ctx, params.filepath))),
})

export const repoCreateTag = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/tags',
  cost: 'usual',
  scope: 'repository',
  refuses: [405, 409],
  requires: [
    inRepo,
    canRead('code'),
    gitRepo,
    signedIn,
    canWrite('code'),
    notArchived,
    validBody,
    repoUnderQuota('size:repos:all'),
  ],
  body: CreateTagOption,
  reply: { 201: Tag },
  summary: 'Create a tag',
  async run({ ctx, body }) {
    return created(
      await presentTag(ctx, await createTag(ctx, body.tag_name, { message: body.message, target: body.target })),
    )
  },
})

export const repoDeleteTag = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/tags/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  refuses: [405, 409],
  requires: [inRepo, canRead('code'), gitRepo, signedIn, canWrite('code'), notArchived],
  reply: { 204: 'empty' },
  summary: 'Delete a tag',
  run: ({ ctx, params }) => removeTag(ctx, params.filepath),
})

export const getAnnotatedTag = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/tags/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: AnnotatedTag },
  summary: 'Get an annotated tag',
  async run({ ctx, params }) {
    const found = await findRevision(ctx.git, ctx.repo.git_key, params.sha)
    if (found?.type !== 'tag') throw new BadRequest(`${params.sha} is no tag object`, 'tag_object_not_found')
    return ok(await presentAnnotatedTag(ctx, await ctx.git.readTag(ctx.repo.git_key, found.oid)))
  },
})
