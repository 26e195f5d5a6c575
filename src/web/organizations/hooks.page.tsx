import { pageQuery, pathNumber } from '../../http/schema.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
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
import { inOrgSettings, orgSettingsMeta, orgSettingsPath, type OwnerCtx } from './settings-frame.tsx'

const hooksPath = (ctx: Pick<OwnerCtx, 'org'>) => orgSettingsPath(ctx, 'hooks')
const ownerOf = ({ org }: Pick<OwnerCtx, 'org'>): HookOwner => hooksOfAccount(org.id)
const shown = {
  isSecret: true,
  requires: [inSession, inOrg, orgOwner, webhooksOn],
  frame: inOrgSettings('hooks'),
  meta: (_data: object, { ctx }: { readonly ctx: Pick<OwnerCtx, 'org'> }) => orgSettingsMeta('hooks', ctx),
} as const
const ofOwners = [inOrg, orgOwner, webhooksOn] as const

/** Shows the webhooks of an organization. */
export const orgHooksPage = page({
  ...shown,
  path: '/org/{org}/settings/hooks',
  query: pageQuery,
  load: async ({ ctx, query }) => ({ ...(await loadHooks(ctx, ownerOf(ctx), query)), path: hooksPath(ctx) }),
  view: HookList,
})

/** Shows the form of a new webhook. */
export const newOrgHookPage = page({
  ...shown,
  path: '/org/{org}/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  load: async ({ ctx, params }) => ({ type: params.type, path: hooksPath(ctx) }),
  view: NewHook,
})

export const createOrgHookSubmit = act({
  path: '/org/{org}/settings/hooks/{type}/new',
  params: { type: hookTypeParam },
  requires: ofOwners,
  fields: hookFields,
  again: newOrgHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    const id = await createHookFrom(ctx, ownerOf(ctx), params.type, body)
    return { to: `${hooksPath(ctx)}/${id}`, notice: texts.created }
  },
})

/** Shows a webhook with its deliveries. */
export const orgHookPage = page({
  ...shown,
  path: '/org/{org}/settings/hooks/{id}',
  params: { id: pathNumber },
  query: deliveryQuery,
  load: async ({ ctx, params, query }) => ({
    ...(await loadHook(ctx, ownerOf(ctx), params.id, query)),
    path: hooksPath(ctx),
  }),
  view: HookPage,
})

export const editOrgHookSubmit = act({
  path: '/org/{org}/settings/hooks/{id}',
  params: { id: pathNumber },
  requires: ofOwners,
  fields: hookFields,
  again: orgHookPage,
  problemFields: hookProblems,
  async run({ ctx, params, body }) {
    await changeHookFrom(ctx, ownerOf(ctx), params.id, body)
    return { to: `${hooksPath(ctx)}/${params.id}`, notice: texts.saved }
  },
})

export const deleteOrgHookSubmit = act({
  path: '/org/{org}/settings/hooks/{id}/delete',
  params: { id: pathNumber },
  requires: ofOwners,
  async run({ ctx, params }) {
    await removeHook(ctx, await getHook(ctx, ownerOf(ctx), params.id))
    return { to: hooksPath(ctx), notice: texts.deleted }
  },
})

/** Shows one delivery. */
export const orgHookDeliveryPage = page({
  ...shown,
  path: '/org/{org}/settings/hooks/{id}/deliveries/{delivery}',
  params: { id: pathNumber, delivery: pathNumber },
  load: async ({ ctx, params }) => ({ ...(await loadDelivery(ctx, ownerOf(ctx), params)), path: hooksPath(ctx) }),
  view: DeliveryPage,
})

export const replayOrgHookSubmit = act({
  path: '/org/{org}/settings/hooks/{id}/deliveries/{delivery}/replay',
  params: { id: pathNumber, delivery: pathNumber },
  requires: ofOwners,
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, params.delivery)
    return { to: `${hooksPath(ctx)}/${params.id}`, notice: texts.replayed(count) }
  },
})

/** Sends all failed deliveries again. */
export const replayFailedOrgHookSubmit = act({
  path: '/org/{org}/settings/hooks/{id}/replay',
  params: { id: pathNumber },
  requires: ofOwners,
  async run({ ctx, params }) {
    const count = await replay(ctx, ownerOf(ctx), params.id, undefined)
    return { to: `${hooksPath(ctx)}/${params.id}`, notice: texts.replayed(count) }
  },
})
