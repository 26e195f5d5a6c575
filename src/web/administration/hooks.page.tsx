import { siteAdmin } from '../../access/requirements.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { hooksOfInstance } from '../../webhooks/hook-owner.ts'
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
import { inAdministration } from './administration-frame.tsx'
import { texts as administration } from './texts.tsx'

const path = '/admin/hooks'
const shown = {
  isSecret: true,
  frame: inAdministration('hooks'),
  meta: () => ({ title: texts.title, isUnlisted: true }),
} as const

/** Shows the webhooks of the instance. */
export const administrationHooksPage = page({
  ...shown,
  path: '/admin/hooks',
  requires: [inSession, siteAdmin, webhooksOn],
  query: pageQuery,
  load: async ({ ctx, query }) => ({
    ...(await loadHooks(ctx, hooksOfInstance, query)),
    path,
    lead: administration.hooksLead,
  }),
  view: HookList,
})

/** Shows the form of a new webhook. */
export const administrationNewHookPage = page({
  ...shown,
  path: '/admin/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [inSession, siteAdmin, webhooksOn],
  load: async ({ params }) => ({ type: params.type, path, isOfInstance: true }),
  view: NewHook,
})

export const administrationCreateHook = act({
  path: '/admin/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: [siteAdmin, webhooksOn],
  fields: hookFields,
  again: administrationNewHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    const id = await createHookFrom(ctx, hooksOfInstance, params.type, body)
    return { to: `${path}/${id}`, notice: texts.created }
  },
})

/** Shows a webhook with its deliveries. */
export const administrationHookPage = page({
  ...shown,
  path: '/admin/hooks/{id}',
  params: { id: pathNumber },
  requires: [inSession, siteAdmin, webhooksOn],
  query: deliveryQuery,
  load: async ({ ctx, params, query }) => ({ ...(await loadHook(ctx, hooksOfInstance, params.id, query)), path }),
  view: HookPage,
})

export const administrationEditHook = act({
  path: '/admin/hooks/{id}',
  params: { id: pathNumber },
  requires: [siteAdmin, webhooksOn],
  fields: hookFields,
  again: administrationHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    await changeHookFrom(ctx, hooksOfInstance, params.id, body)
    return { to: `${path}/${params.id}`, notice: texts.saved }
  },
})

export const administrationDeleteHook = act({
  path: '/admin/hooks/{id}/delete',
  params: { id: pathNumber },
  requires: [siteAdmin, webhooksOn],
  async run({ ctx, params }) {
    await removeHook(ctx, await getHook(ctx, hooksOfInstance, params.id))
    return { to: path, notice: texts.deleted }
  },
})

/** Shows one delivery. */
export const administrationHookDeliveryPage = page({
  ...shown,
  path: '/admin/hooks/{id}/deliveries/{delivery}',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [inSession, siteAdmin, webhooksOn],
  load: async ({ ctx, params }) => ({ ...(await loadDelivery(ctx, hooksOfInstance, params)), path }),
  view: DeliveryPage,
})

export const administrationReplayHook = act({
  path: '/admin/hooks/{id}/deliveries/{delivery}/replay',
  params: { id: pathNumber, delivery: pathNumber },
  requires: [siteAdmin, webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, hooksOfInstance, params.id, params.delivery)
    return { to: `${path}/${params.id}`, notice: texts.replayed(count) }
  },
})

/** Sends all failed deliveries again. */
export const administrationReplayFailedHook = act({
  path: '/admin/hooks/{id}/replay',
  params: { id: pathNumber },
  requires: [siteAdmin, webhooksOn],
  async run({ ctx, params }) {
    const count = await replay(ctx, hooksOfInstance, params.id, undefined)
    return { to: `${path}/${params.id}`, notice: texts.replayed(count) }
  },
})
