import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { gitRepo, inRepo, repoAdmin } from '../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../access/requirements.ts'
import { repoRef } from '../code/git-access.requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery, pathNumber } from '../http/schema.ts'
import { pageOrWhole, type PageQuery } from '../lib/paging.ts'
import { inOrg, orgOwner } from '../orgs/org.requirements.ts'
import { hooksOfAccount, hooksOfInstance, hooksOfRepo, type HookOwner } from './hook-owner.ts'
import { presentHook, presentHooks } from './hook.present.ts'
import { refuseWithoutWebhooks, webhooksOn } from './hook.requirements.ts'
import { CreateHookOption, EditHookOption, Hook } from './hook.schemas.ts'
import { changeHook, createHook, getHook, listSystemHooks, pageOfHooks, removeHook } from './hook.service.ts'
import { sendTestPush } from './deliveries/test-push.ts'

async function answerList(ctx: Ctx, owner: HookOwner, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const { rows, total } = await pageOfHooks(ctx, owner, page)
  return paged(presentHooks(ctx, rows), page, total, { link: false })
}

/** Returns the fields of a request; absent ones are empty, in PATCH too (recorded: webhooks/repo-crud). */
const fieldsOf = (body: CreateHookOption | EditHookOption) => ({
  config: body.config ?? {},
  events: body.events ?? [],
  branchFilter: body.branch_filter ?? '',
  authorization: body.authorization_header ?? '',
})

const answerCreated = async (ctx: Ctx, owner: HookOwner, body: CreateHookOption) =>
  created(
    presentHook(
      ctx,
      await createHook(ctx, owner, { ...fieldsOf(body), type: body.type, isActive: body.active ?? false }),
    ),
  )

const answerOne = async (ctx: Ctx, owner: HookOwner, id: number) => ok(presentHook(ctx, await getHook(ctx, owner, id)))

async function answerChanged(ctx: Ctx, owner: HookOwner, id: number, body: EditHookOption) {
  const hook = await getHook(ctx, owner, id)
  return ok(presentHook(ctx, await changeHook(ctx, hook, { ...fieldsOf(body), isActive: body.active ?? undefined })))
}

const remove = async (ctx: Ctx, owner: HookOwner, id: number) => removeHook(ctx, await getHook(ctx, owner, id))

export const repoListHooks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  query: pageQuery,
  reply: { 200: Type.Array(Hook) },
  run: ({ ctx, query }) => answerList(ctx, hooksOfRepo(ctx.repo.id), query),
})

export const repoCreateHook = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/hooks',
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, webhooksOn, validBody],
  body: CreateHookOption,
  reply: { 201: Hook },
  run: ({ ctx, body }) => answerCreated(ctx, hooksOfRepo(ctx.repo.id), body),
})

export const repoGetHook = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  reply: { 200: Hook },
  run: ({ ctx, params }) => answerOne(ctx, hooksOfRepo(ctx.repo.id), params.id),
})

export const repoEditHook = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'repository',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, webhooksOn, validBody],
  body: EditHookOption,
  reply: { 200: Hook },
  run: ({ ctx, params, body }) => answerChanged(ctx, hooksOfRepo(ctx.repo.id), params.id, body),
})

export const repoDeleteHook = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => remove(ctx, hooksOfRepo(ctx.repo.id), params.id),
})

export const repoTestHook = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/hooks/{id}/tests',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn, gitRepo, repoRef],
  query: { ref: Type.Optional(Type.String()) },
  reply: { 204: 'empty' },
  async run({ ctx, params, query }) {
    const hook = await getHook(ctx, hooksOfRepo(ctx.repo.id), params.id)
    await sendTestPush(ctx, hook, ctx.revision.commit, query.ref === '' ? undefined : query.ref)
  },
})

export const orgListHooks = operation({
  method: 'GET',
  path: '/orgs/{org}/hooks',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  query: pageQuery,
  reply: { 200: Type.Array(Hook) },
  run: ({ ctx, query }) => answerList(ctx, hooksOfAccount(ctx.org.id), query),
})

export const orgCreateHook = operation({
  method: 'POST',
  path: '/orgs/{org}/hooks',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, webhooksOn, validBody],
  body: CreateHookOption,
  reply: { 201: Hook },
  run: ({ ctx, body }) => answerCreated(ctx, hooksOfAccount(ctx.org.id), body),
})

export const orgGetHook = operation({
  method: 'GET',
  path: '/orgs/{org}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  reply: { 200: Hook },
  run: ({ ctx, params }) => answerOne(ctx, hooksOfAccount(ctx.org.id), params.id),
})

export const orgEditHook = operation({
  method: 'PATCH',
  path: '/orgs/{org}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, webhooksOn, validBody],
  body: EditHookOption,
  reply: { 200: Hook },
  run: ({ ctx, params, body }) => answerChanged(ctx, hooksOfAccount(ctx.org.id), params.id, body),
})

export const orgDeleteHook = operation({
  method: 'DELETE',
  path: '/orgs/{org}/hooks/{id}',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => remove(ctx, hooksOfAccount(ctx.org.id), params.id),
})

export const userListHooks = operation({
  method: 'GET',
  path: '/user/hooks',
  scope: 'user',
  requires: [signedIn, webhooksOn],
  query: pageQuery,
  reply: { 200: Type.Array(Hook) },
  run: ({ ctx, query }) => answerList(ctx, hooksOfAccount(ctx.viewer.id), query),
})

export const userCreateHook = operation({
  method: 'POST',
  path: '/user/hooks',
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, webhooksOn, validBody],
  body: CreateHookOption,
  reply: { 201: Hook },
  run: ({ ctx, body }) => answerCreated(ctx, hooksOfAccount(ctx.viewer.id), body),
})

export const userGetHook = operation({
  method: 'GET',
  path: '/user/hooks/{id}',
  params: { id: pathNumber },
  scope: 'user',
  requires: [signedIn, webhooksOn],
  reply: { 200: Hook },
  run: ({ ctx, params }) => answerOne(ctx, hooksOfAccount(ctx.viewer.id), params.id),
})

export const userEditHook = operation({
  method: 'PATCH',
  path: '/user/hooks/{id}',
  params: { id: pathNumber },
  scope: 'user',
  outlivesCredential: true,
  requires: [signedIn, webhooksOn, validBody],
  body: EditHookOption,
  reply: { 200: Hook },
  run: ({ ctx, params, body }) => answerChanged(ctx, hooksOfAccount(ctx.viewer.id), params.id, body),
})

export const userDeleteHook = operation({
  method: 'DELETE',
  path: '/user/hooks/{id}',
  params: { id: pathNumber },
  scope: 'user',
  requires: [signedIn, webhooksOn],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => remove(ctx, hooksOfAccount(ctx.viewer.id), params.id),
})

/** The chains of /admin/hooks lack WH, but the contract answers 403 when webhooks are switched off. */
const instanceOwner = (ctx: Ctx): HookOwner => {
  refuseWithoutWebhooks(ctx)
  return hooksOfInstance
}

export const adminListHooks = operation({
  method: 'GET',
  path: '/admin/hooks',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Hook) },
  async run({ ctx }) {
    instanceOwner(ctx)
    return ok(presentHooks(ctx, await listSystemHooks(ctx)))
  },
})

export const adminCreateHook = operation({
  method: 'POST',
  path: '/admin/hooks',
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, validBody],
  body: CreateHookOption,
  reply: { 201: Hook },
  run: ({ ctx, body }) => answerCreated(ctx, instanceOwner(ctx), body),
})

export const adminGetHook = operation({
  method: 'GET',
  path: '/admin/hooks/{id}',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  reply: { 200: Hook },
  run: ({ ctx, params }) => answerOne(ctx, instanceOwner(ctx), params.id),
})

export const adminEditHook = operation({
  method: 'PATCH',
  path: '/admin/hooks/{id}',
  params: { id: pathNumber },
  scope: 'admin',
  outlivesCredential: true,
  requires: [signedIn, siteAdmin, validBody],
  body: EditHookOption,
  reply: { 200: Hook },
  run: ({ ctx, params, body }) => answerChanged(ctx, instanceOwner(ctx), params.id, body),
})

export const adminDeleteHook = operation({
  method: 'DELETE',
  path: '/admin/hooks/{id}',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  reply: { 204: 'empty' },
  run: ({ ctx, params }) => remove(ctx, instanceOwner(ctx), params.id),
})
