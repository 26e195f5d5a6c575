import type { AnyRequirement } from '../../../http/operation.ts'
import { pageQuery, pathNumber } from '../../../http/schema.ts'
import type { HookOwner } from '../../../webhooks/hook-owner.ts'
import { webhooksOn } from '../../../webhooks/hook.requirements.ts'
import { getHook, removeHook } from '../../../webhooks/hook.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import type { PageMeta } from '../../shell/document.tsx'
import { act, page, type Frame } from '../../shell/page.tsx'
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
} from './hooks.ts'
import { hookTexts as texts } from '../../languages/texts.ts'
import type { HolderCtx } from '../holder-context.ts'
import { DeliveryPage, HookList, HookPage, NewHook } from './hooks.view.tsx'

/** What has webhooks: an account, an organization, a repository, or the instance. */
interface HookHolder<Rs extends readonly AnyRequirement[]> {
  /** Address of the list. The other pages are below it. */
  readonly path: string
  /** What the ids of the API's operations on these webhooks begin with. */
  readonly twins: 'admin' | 'org' | 'repo' | 'user'
  /** Checked between the session and `webhooksOn`. */
  readonly requires: Rs
  readonly ownerOf: (ctx: HolderCtx<Rs>) => HookOwner
  /** Returns the path of the list. */
  readonly pathOf: (ctx: HolderCtx<Rs>) => string
  readonly frame: Frame<HolderCtx<Rs>>
  readonly meta: (ctx: HolderCtx<Rs>) => PageMeta
  /** What the list says of the webhooks. */
  readonly lead?: () => string
  /** A form offers to make a webhook one of the whole instance. */
  readonly isOfInstance?: boolean
  /** Whether a webhook can be tested here. */
  readonly offersTest?: (ctx: HolderCtx<Rs>) => boolean
}

/** Declares the pages of the webhooks of a place, and what their forms do. */
export function hookPages<const Rs extends readonly AnyRequirement[]>(holder: HookHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, twins, requires, ownerOf, pathOf, frame, meta, offersTest, ...shown } = holder as unknown as HookHolder<
    readonly AnyRequirement[]
  >
  const all = [...requires, webhooksOn] as const
  const framed = {
    isSecret: true,
    requires: [inSession, ...all],
    frame,
    meta: (_data: object, { ctx }: { readonly ctx: HolderCtx }) => meta(ctx),
  } as const
  const one = { path: `${path}/{id}`, params: { id: pathNumber } }
  const delivery = {
    path: `${path}/{id}/deliveries/{delivery}`,
    params: { id: pathNumber, delivery: pathNumber },
  }
  const form = { fields: hookFields, problemFields: hookProblems, requires: all } as const

  const listPage = page({
    twin: `${twins}ListHooks`,
    ...framed,
    path,
    cost: 'usual',
    query: pageQuery,
    load: async ({ ctx, query }) => ({
      ...(await loadHooks(ctx, ownerOf(ctx), query)),
      path: pathOf(ctx),
      ...(shown.lead === undefined ? {} : { lead: shown.lead() }),
    }),
    view: HookList,
  })
  const newPage = page({
    twin: `${twins}CreateHook`,
    ...framed,
    path: `${path}/{type}/new`,
    cost: 'usual',
    params: { type: hookTypeParam },
    load: async ({ ctx, params }) => ({
      type: params.type,
      path: pathOf(ctx),
      isOfInstance: shown.isOfInstance ?? false,
    }),
    view: NewHook,
  })
  const create = act({
    twin: `${twins}CreateHook`,
    ...form,
    path: `${path}/{type}/new`,
    cost: 'usual',
    params: { type: hookTypeParam },
    again: newPage,
    async run({ ctx, params, body }) {
      const id = await createHookFrom(ctx, ownerOf(ctx), params.type, body)
      return { to: `${pathOf(ctx)}/${id}`, notice: texts.created }
    },
  })
  const hookPage = page({
    twin: `${twins}GetHook`,
    cost: 'usual',
    ...framed,
    ...one,
    query: deliveryQuery,
    load: async ({ ctx, params, query }) => ({
      ...(await loadHook(ctx, ownerOf(ctx), params.id, query)),
      path: pathOf(ctx),
      offersTest: offersTest?.(ctx) ?? false,
    }),
    view: HookPage,
  })
  const edit = act({
    twin: `${twins}EditHook`,
    edits: true,
    cost: 'usual',
    ...form,
    ...one,
    again: hookPage,
    async run({ ctx, params, body }) {
      await changeHookFrom(ctx, ownerOf(ctx), params.id, body)
      return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.saved }
    },
  })
  const remove = act({
    twin: `${twins}DeleteHook`,
    ...one,
    path: `${one.path}/delete`,
    cost: 'usual',
    requires: all,
    async run({ ctx, params }) {
      await removeHook(ctx, await getHook(ctx, ownerOf(ctx), params.id))
      return { to: pathOf(ctx), notice: texts.deleted }
    },
  })
  const deliveryPage = page({
    twin: `${twins}GetHookDelivery`,
    cost: 'usual',
    ...framed,
    ...delivery,
    load: async ({ ctx, params }) => ({ ...(await loadDelivery(ctx, ownerOf(ctx), params)), path: pathOf(ctx) }),
    view: DeliveryPage,
  })
  const replayOne = act({
    twin: `${twins}RedeliverHookDelivery`,
    ...delivery,
    path: `${delivery.path}/replay`,
    cost: 'usual',
    requires: all,
    async run({ ctx, params }) {
      const count = await replay(ctx, ownerOf(ctx), params.id, params.delivery)
      return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.replayed(count) }
    },
  })
  const replayFailed = act({
    twin: `${twins}RedeliverHookDeliveries`,
    ...one,
    path: `${one.path}/replay`,
    cost: 'usual',
    requires: all,
    async run({ ctx, params }) {
      const count = await replay(ctx, ownerOf(ctx), params.id, undefined)
      return { to: `${pathOf(ctx)}/${params.id}`, notice: texts.replayed(count) }
    },
  })
  return { listPage, newPage, create, hookPage, edit, remove, deliveryPage, replayOne, replayFailed }
}
