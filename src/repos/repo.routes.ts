import { resolveVisibleAccount } from '../access/named-account.ts'
import { anyAccess, inRepo, repoAdmin, repoOwner } from '../access/repo.requirements.ts'
import { orgUnderQuota, ownerUnderQuota, userUnderQuota } from '../access/quota/quota.requirements.ts'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { siteAdmin, signedIn, tokenScope } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { pathNumber } from '../http/schema.ts'
import { Invalid } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { inOrg } from '../orgs/org.requirements.ts'
import { targetUser } from '../users/subject.requirements.ts'
import { createOrgRepository } from './lifecycle/org-repo.service.ts'
import { createRepo } from './lifecycle/repo-creation.service.ts'
import { editRepo, type RepoEdit } from './repo-edit.service.ts'
import { deleteRepo } from './lifecycle/repo-deletion.service.ts'
import { presentKeptRepo } from './kept-repo.present.ts'
import { presentMadeRepo, presentRepo } from './repo.present.ts'
import { CreateRepoOption, EditRepoOption, Repository } from './repo.schemas.ts'
import { getRepoById } from './repo.service.ts'
import { newRepositoryOf } from './lifecycle/new-repository.ts'

export const createCurrentUserRepo = operation({
  method: 'POST',
  path: '/user/repos',
  cost: 'usual',
  scope: 'repository',
  refuses: [409],
  requires: [signedIn, validBody, userUnderQuota('size:repos:all')],
  body: CreateRepoOption,
  reply: { 201: Repository },
  summary: 'Create a repository',
  async run({ ctx, body }) {
    const { user } = ctx.viewer
    const repo = await createRepo(ctx, user, user, newRepositoryOf(ctx, body))
    return created(await presentMadeRepo(ctx, repo, user))
  },
})

export const createOrgRepo = operation({
  method: 'POST',
  path: '/orgs/{org}/repos',
  cost: 'usual',
  scope: 'organization',
  refuses: [409],
  requires: [inOrg, signedIn, validBody, orgUnderQuota('size:repos:all')],
  body: CreateRepoOption,
  reply: { 201: Repository },
  summary: 'Create a repository in an organization',
  async run({ ctx, body }) {
    const repo = await createOrgRepository(ctx, ctx.org, newRepositoryOf(ctx, body))
    return created(await presentMadeRepo(ctx, repo, ctx.org))
  },
})

export const createOrgRepoDeprecated = operation({
  method: 'POST',
  path: '/org/{org}/repos',
  cost: 'usual',
  scope: ['organization', 'repository'],
  deprecated: true,
  refuses: [307, 409],
  requires: [signedIn, validBody],
  body: CreateRepoOption,
  reply: { 201: Repository },
  summary: 'Create a repository in an organization',
  async run({ ctx, params, body, call }) {
    const missing = () => new Invalid(`the organization ${params.org} does not exist`, 'org_not_found')
    const kind = 'organization'
    const org = await resolveVisibleAccount(ctx, call, { parameter: 'org', name: params.org, missing, kind })
    await refuseOverQuota(ctx, org, 'size:repos:all')
    const repo = await createOrgRepository(ctx, org, newRepositoryOf(ctx, body))
    return created(await presentMadeRepo(ctx, repo, org))
  },
})

export const adminCreateRepo = operation({
  method: 'POST',
  path: '/admin/users/{username}/repos',
  cost: 'usual',
  scope: 'admin',
  refuses: [409],
  requires: [signedIn, siteAdmin, targetUser, validBody, ownerUnderQuota('size:repos:all')],
  body: CreateRepoOption,
  reply: { 201: Repository },
  summary: 'Create a repository for an account',
  async run({ ctx, body }) {
    const repo = await createRepo(ctx, ctx.viewer.user, ctx.subject, newRepositoryOf(ctx, body))
    return created(await presentMadeRepo(ctx, repo, ctx.subject))
  },
})

export const repoGet = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, anyAccess],
  reply: { 200: Repository },
  summary: 'Get a repository',
  run: async ({ ctx }) => ok(await presentKeptRepo(ctx)),
})

export const repoGetByID = operation({
  method: 'GET',
  path: '/repositories/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  scope: null,
  requires: [signedIn, tokenScope('repository')],
  reply: { 200: Repository },
  summary: 'Get a repository by its id',
  async run({ ctx, params }) {
    const view = await getRepoById(ctx, params.id as RepoId)
    return ok(await presentKeptRepo({ ...ctx, ...view }))
  },
})

const editOf = (body: EditRepoOption): RepoEdit => ({
  name: body.name,
  description: body.description,
  website: body.website,
  isPrivate: body.private,
  isTemplate: body.template,
  defaultBranch: body.default_branch,
  wikiBranch: body.wiki_branch,
  isArchived: body.archived,
  mirror: { interval: body.mirror_interval, prunes: body.enable_prune },
  units: {
    ...body,
    pulls: {
      ignore_whitespace_conflicts: body.ignore_whitespace_conflicts,
      allow_merge_commits: body.allow_merge_commits,
      allow_rebase: body.allow_rebase,
      allow_rebase_explicit: body.allow_rebase_explicit,
      allow_squash_merge: body.allow_squash_merge,
      allow_fast_forward_only_merge: body.allow_fast_forward_only_merge,
      allow_manual_merge: body.allow_manual_merge,
      autodetect_manual_merge: body.autodetect_manual_merge,
      allow_rebase_update: body.allow_rebase_update,
      default_delete_branch_after_merge: body.default_delete_branch_after_merge,
      default_merge_style: body.default_merge_style,
      default_allow_maintainer_edit: body.default_allow_maintainer_edit,
      default_update_style: body.default_update_style,
    },
  },
})

export const repoEdit = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, validBody],
  body: EditRepoOption,
  reply: { 200: Repository },
  summary: 'Edit a repository',
  async run({ ctx, body }) {
    const edited = await editRepo(ctx, editOf(body))
    return ok(await presentRepo(ctx, { ...edited, owner: ctx.owner, rights: ctx.rights }))
  },
})

export const repoDelete = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, repoOwner],
  reply: { 204: 'empty' },
  summary: 'Delete a repository',
  run: ({ ctx }) => deleteRepo(ctx, ctx.owner, ctx.repo, ctx.viewer.id),
})
