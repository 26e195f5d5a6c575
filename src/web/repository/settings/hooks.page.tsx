import type { RepoCtx } from '../../../access/context.ts'
import { gitRepo, inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { repoRef } from '../../../code/git-access.requirements.ts'
import { pageQuery, pathNumber } from '../../../http/schema.ts'
import { sendTestPush } from '../../../webhooks/deliveries/test-push.ts'
import { hooksOfRepo, type HookOwner } from '../../../webhooks/hook-owner.ts'
import { webhooksOn } from '../../../webhooks/hook.requirements.ts'
import { getHook, removeHook } from '../../../webhooks/hook.service.ts'
import {
  changeHookFrom,
  createHookFrom,
  deliveryQuery,
  hookFields,
  hookProblems,
  hookTypeParam,
  loadDelivery,
  loadHook,
  loadHooks,
  replay,
} from '../../frames/hooks.ts'
import { texts } from '../../frames/hooks.texts.tsx'
import { DeliveryPage, HookList, HookPage, NewHook } from '../../frames/hooks.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inSettings, metaOf, placeOf, settingsPath } from './frame.tsx'

const pathOf = (ctx: RepoCtx): string => settingsPath(ctx, 'hooks')
const ownerOf = ({ repo }: RepoCtx): HookOwner => hooksOfRepo(repo.id)
const shown = {
  isSecret: true,
  frame: inSettings('hooks'),
  meta: (_data: object, { ctx }: { readonly ctx: RepoCtx }) => metaOf('hooks', placeOf(ctx)),
} as const

/** Shows the webhooks of the repository. */
export const repositoryHooksPage = page({
  ...shown,
  path: '/{username}/{reponame}/settings/hooks',
  requires: [inSession, inRepo, repoAdmin, webhooksOn],
  query: pageQuery,
  load: async ({ ctx, query }) => ({ ...(await loadHooks(ctx, ownerOf(ctx), query)), path: pathOf(ctx) }),
  view: HookList,
})

/** Shows the form of a new webhook. */
export const newRepositoryHookPage = page({
  ...shown,
  path: '/{username}/{reponame}/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [inSession, inRepo, repoAdmin, webhooksOn],
  load: async ({ ctx, params }) => ({ type: params.type, path: pathOf(ctx) }),
  view: NewHook,
})

export const createRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [inRepo, repoAdmin, webhooksOn],
  fields: hookFields,
  again: newRepositoryHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    const id = await createHookFrom(ctx, ownerOf(ctx), params.type, body)
    return { to: `${pathOf(ctx)}/${id}`, notice: texts.created }
  },
})

/** Shows a webhook with its deliveries. */
export const repositoryHookPage = page({
  ...shown,
  path: '/{username}/{reponame}/settings/hooks/{id}',
  params: { id: pathNumber },
  requires: [inSession, inRepo, repoAdmin, webhooksOn],
  query: deliveryQuery,
  load: async ({ ctx, params, query }) => ({
    ...(await loadHook(ctx, ownerOf(ctx), params.id, query)),
    path: pathOf(ctx),
    offersTest: !ctx.repo.is_empty,
  }),
  view: HookPage,
})

export const editRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn],
  fields: hookFields,
  again: repositoryHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    await changeHookFrom(ctx, ownerOf(ctx), params.id, body)
    return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.saved }
  },
})

export const deleteRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}/delete',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn],
  async run({ ctx, params }) {
    await removeHook(ctx, await getHook(ctx, ownerOf(ctx), params.id))
    return { to: pathOf(ctx), notice: texts.deleted }
  },
})

/** Delivers the newest commit of the default branch as a push. */
export const testRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}/test',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn, gitRepo, repoRef],
  async run({ ctx, params }) {
    const hook = await getHook(ctx, ownerOf(ctx), params.id)
    const isSent = await sendTestPush(ctx, hook, ctx.revision.commit, undefined)
    return { to: `${pathOf(ctx)}/${params.id}`, notice: isSent ? texts.tested : texts.notTested }
  },
})

/** Shows one delivery. */
export const repositoryHookDeliveryPage = page({
  ...shown,
  path: '/{username}/{reponame}/settings/hooks/{id}/deliveries/{delivery}',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [inSession, inRepo, repoAdmin, webhooksOn],
  load: async ({ ctx, params }) => ({ ...(await loadDelivery(ctx, ownerOf(ctx), params)), path: pathOf(ctx) }),
  view: DeliveryPage,
})

export const replayRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}/deliveries/{delivery}/replay',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, params.delivery)
    return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.replayed(count) }
  },
})

/** Sends all failed deliveries again. */
export const replayFailedRepositoryHookSubmit = act({
  path: '/{username}/{reponame}/settings/hooks/{id}/replay',
  params: { id: pathNumber },
  requires: [inRepo, repoAdmin, webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, undefined)
    return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.replayed(count) }
  },
})
