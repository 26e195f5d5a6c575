import { pageQuery, pathNumber } from '../../http/schema.ts'
import { hooksOfAccount, type HookOwner } from '../../webhooks/hook-owner.ts'
import { webhooksOn } from '../../webhooks/hook.requirements.ts'
import { getHook, removeHook } from '../../webhooks/hook.service.ts'
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
} from '../frames/hooks.ts'
import { texts } from '../frames/hooks.texts.tsx'
import { DeliveryPage, HookList, HookPage, NewHook } from '../frames/hooks.view.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from './settings-frame.tsx'

const path = settingsPath('hooks')
const ownerOf = ({ viewer }: PersonCtx): HookOwner => hooksOfAccount(viewer.id)
const shown = { isSecret: true, frame: inSettings('hooks'), meta: () => settingsMeta('hooks') } as const

/** Shows the webhooks of the account. */
export const userHooksPage = page({
  ...shown,
  path: '/user/settings/hooks',
  requires: [inSession, webhooksOn],
  query: pageQuery,
  load: async ({ ctx, query }) => ({ ...(await loadHooks(ctx, ownerOf(ctx), query)), path }),
  view: HookList,
})

/** Shows the form of a new webhook. */
export const newUserHookPage = page({
  ...shown,
  path: '/user/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [inSession, webhooksOn],
  load: async ({ params }) => ({ type: params.type, path }),
  view: NewHook,
})

export const createUserHookSubmit = act({
  path: '/user/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [webhooksOn],
  fields: hookFields,
  again: newUserHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    const id = await createHookFrom(ctx, ownerOf(ctx), params.type, body)
    return { to: `${path}/${id}`, notice: texts.created }
  },
})

/** Shows a webhook with its deliveries. */
export const userHookPage = page({
  ...shown,
  path: '/user/settings/hooks/{id}',
  params: { id: pathNumber },
  requires: [inSession, webhooksOn],
  query: deliveryQuery,
  load: async ({ ctx, params, query }) => ({ ...(await loadHook(ctx, ownerOf(ctx), params.id, query)), path }),
  view: HookPage,
})

export const editUserHookSubmit = act({
  path: '/user/settings/hooks/{id}',
  params: { id: pathNumber },
  requires: [webhooksOn],
  fields: hookFields,
  again: userHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    await changeHookFrom(ctx, ownerOf(ctx), params.id, body)
    return { to: `${path}/${params.id}`, notice: texts.saved }
  },
})

export const deleteUserHookSubmit = act({
  path: '/user/settings/hooks/{id}/delete',
  params: { id: pathNumber },
  requires: [webhooksOn],
  async run({ ctx, params }) {
    await removeHook(ctx, await getHook(ctx, ownerOf(ctx), params.id))
    return { to: path, notice: texts.deleted }
  },
})

/** Shows one delivery. */
export const userHookDeliveryPage = page({
  ...shown,
  path: '/user/settings/hooks/{id}/deliveries/{delivery}',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [inSession, webhooksOn],
  load: async ({ ctx, params }) => ({ ...(await loadDelivery(ctx, ownerOf(ctx), params)), path }),
  view: DeliveryPage,
})

export const replayUserHookSubmit = act({
  path: '/user/settings/hooks/{id}/deliveries/{delivery}/replay',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, params.delivery)
    return { to: `${path}/${params.id}`, notice: texts.replayed(count) }
  },
})

/** Sends all failed deliveries again. */
export const replayFailedUserHookSubmit = act({
  path: '/user/settings/hooks/{id}/replay',
  params: { id: pathNumber },
  requires: [webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, undefined)
    return { to: `${path}/${params.id}`, notice: texts.replayed(count) }
  },
})
