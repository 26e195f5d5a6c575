import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { anyHolder, type Holder } from '../access/holder.ts'
import { gitRepo, inRepo, repoAdmin } from '../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../access/requirements.ts'
import { repoRef } from '../code/git-access.requirements.ts'
import { operation, validBody, type AnyRequirement } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { pageOrWhole } from '../lib/paging.ts'
import { inOrg, orgOwner } from '../orgs/org.requirements.ts'
import { hooksOfAccount, hooksOfInstance, hooksOfRepo, type HookOwner } from './hook-owner.ts'
import { presentHook, presentHooks } from './hook.present.ts'
import { refuseWithoutWebhooks, webhooksOn } from './hook.requirements.ts'
import { CreateHookOption, EditHookOption, Hook } from './hook.schemas.ts'
import { changeHook, createHook, getHook, listSystemHooks, pageOfHooks, removeHook } from './hook.service.ts'
import { sendTestPush } from './deliveries/test-push.ts'

/** Returns the fields of a request; absent ones are empty, in PATCH too (recorded: webhooks/repo-crud). */
const fieldsOf = (body: CreateHookOption | EditHookOption) => ({
  config: body.config ?? {},
  events: body.events ?? [],
  branchFilter: body.branch_filter ?? '',
  authorization: body.authorization_header ?? '',
})

/** Declares the operations of the webhooks of a repository, an organization, an account or the instance. */
function hookOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, HookOwner>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const one = { path: `${path}/{id}`, params: { id: pathNumber }, scope, requires } as const

  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    scope,
    requires,
    query: pageQuery,
    reply: { 200: Type.Array(Hook) },
    summary: 'List the webhooks',
    async run({ ctx, query }) {
      const page = pageOrWhole(query, ctx.config.api)
      const { rows, total } = await pageOfHooks(ctx, ownerOf(ctx), page)
      return paged(presentHooks(ctx, rows), page, total, { link: false })
    },
  })
  const create = operation({
    method: 'POST',
    path,
    cost: 'usual',
    scope,
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: CreateHookOption,
    reply: { 201: Hook },
    summary: 'Create a webhook',
    async run({ ctx, body }) {
      const input = { ...fieldsOf(body), type: body.type, isActive: body.active ?? false }
      return created(presentHook(ctx, await createHook(ctx, ownerOf(ctx), input)))
    },
  })
  const get = operation({
    cost: 'usual',
    ...one,
    method: 'GET',
    reply: { 200: Hook },
    summary: 'Get a webhook',
    run: async ({ ctx, params }) => ok(presentHook(ctx, await getHook(ctx, ownerOf(ctx), params.id))),
  })
  const edit = operation({
    cost: 'usual',
    ...one,
    method: 'PATCH',
    outlivesCredential: true,
    requires: [...requires, validBody],
    body: EditHookOption,
    reply: { 200: Hook },
    summary: 'Edit a webhook',
    async run({ ctx, params, body }) {
      const hook = await getHook(ctx, ownerOf(ctx), params.id)
      return ok(
        presentHook(ctx, await changeHook(ctx, hook, { ...fieldsOf(body), isActive: body.active ?? undefined })),
      )
    },
  })
  const remove = operation({
    cost: 'usual',
    ...one,
    method: 'DELETE',
    reply: { 204: 'empty' },
    summary: 'Delete a webhook',
    run: async ({ ctx, params }) => removeHook(ctx, await getHook(ctx, ownerOf(ctx), params.id)),
  })
  return { list, create, get, edit, remove }
}

export const {
  list: repoListHooks,
  create: repoCreateHook,
  get: repoGetHook,
  edit: repoEditHook,
  remove: repoDeleteHook,
} = hookOperations({
  path: '/repos/{username}/{reponame}/hooks',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  ownerOf: ({ repo }) => hooksOfRepo(repo.id),
})

export const repoTestHook = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/hooks/{id}/tests',
  cost: 'usual',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn, gitRepo, repoRef],
  query: { ref: Type.Optional(Type.String()) },
  reply: { 204: 'empty' },
  summary: 'Send a test push to a webhook',
  async run({ ctx, params, query }) {
    const hook = await getHook(ctx, hooksOfRepo(ctx.repo.id), params.id)
    await sendTestPush(ctx, hook, ctx.revision.commit, query.ref === '' ? undefined : query.ref)
  },
})

export const {
  list: orgListHooks,
  create: orgCreateHook,
  get: orgGetHook,
  edit: orgEditHook,
  remove: orgDeleteHook,
} = hookOperations({
  path: '/orgs/{org}/hooks',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  ownerOf: ({ org }) => hooksOfAccount(org.id),
})

export const {
  list: userListHooks,
  create: userCreateHook,
  get: userGetHook,
  edit: userEditHook,
  remove: userDeleteHook,
} = hookOperations({
  path: '/user/hooks',
  scope: 'user',
  requires: [signedIn, webhooksOn],
  ownerOf: ({ viewer }) => hooksOfAccount(viewer.id),
})

/** The chains of /admin/hooks lack WH, but the contract answers 403 when webhooks are switched off. */
const instanceOwner = (ctx: Ctx): HookOwner => {
  refuseWithoutWebhooks(ctx)
  return hooksOfInstance
}

export const adminListHooks = operation({
  method: 'GET',
  path: '/admin/hooks',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Hook) },
  summary: 'List the system webhooks',
  async run({ ctx }) {
    instanceOwner(ctx)
    return ok(presentHooks(ctx, await listSystemHooks(ctx)))
  },
})

export const {
  create: adminCreateHook,
  get: adminGetHook,
  edit: adminEditHook,
  remove: adminDeleteHook,
} = hookOperations({
  path: '/admin/hooks',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  ownerOf: instanceOwner,
})
