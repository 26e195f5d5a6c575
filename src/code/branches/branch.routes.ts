import { Type } from 'typebox'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { nullable, pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentBranch, presentBranches } from './branch.present.ts'
import { Branch, CreateBranchRepoOption, UpdateBranchRepoOption } from './branch.schemas.ts'
import { createBranch, getBranch, getBranchPage, removeBranch, renameBranch } from './branch.service.ts'

export const repoListBranches = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/branches',
  cost: 'expensive',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  query: pageQuery,
  // An empty repository answers null (observed).
  reply: { 200: nullable(Type.Array(Branch)) },
  summary: 'List the branches',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { branches, total } = await getBranchPage(ctx, page)
    return paged(ctx.repo.is_empty ? null : await presentBranches(ctx, branches), page, total)
  },
})

export const repoGetBranch = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/branches/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: Branch },
  summary: 'Get a branch',
  run: async ({ ctx, params }) => ok(await presentBranch(ctx, await getBranch(ctx, params.filepath))),
})

export const repoCreateBranch = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/branches',
  cost: 'usual',
  scope: 'repository',
  refuses: [409],
  requires: [
    inRepo,
    gitRepo,
    canRead('code'),
    signedIn,
    canWrite('code'),
    notArchived,
    validBody,
    repoUnderQuota('size:git:all'),
  ],
  body: CreateBranchRepoOption,
  reply: { 201: Branch },
  summary: 'Create a branch',
  async run({ ctx, body }) {
    const branch = await createBranch(ctx, body.new_branch_name, {
      ref: body.old_ref_name,
      branch: body.old_branch_name,
    })
    return created(await presentBranch(ctx, branch))
  },
})

export const repoUpdateBranch = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/branches/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code'), signedIn, canWrite('code'), notArchived, validBody],
  body: UpdateBranchRepoOption,
  reply: { 204: 'empty' },
  summary: 'Rename a branch',
  run: ({ ctx, params, body }) => renameBranch(ctx, params.filepath, body.name),
})

export const repoDeleteBranch = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/branches/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code'), signedIn, canWrite('code'), notArchived],
  reply: { 204: 'empty' },
  summary: 'Delete a branch',
  run: ({ ctx, params }) => removeBranch(ctx, params.filepath),
})
