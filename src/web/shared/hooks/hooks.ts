import { Type, type Static, type TObject } from 'typebox'
import type { Ctx } from '../../../access/context.ts'
import type { DeliveryState } from '../../../db/tables/webhooks.ts'
import { enumeration, pageQuery } from '../../../http/schema.ts'
import { Invalid } from '../../../lib/errors.ts'
import { pageOf, pageOrWhole, type PageQuery } from '../../../lib/paging.ts'
import { presentDeliveries, presentDelivery } from '../../../webhooks/deliveries/delivery.present.ts'
import {
  getDelivery,
  pageOfDeliveries,
  redeliver,
  redeliverOne,
} from '../../../webhooks/deliveries/delivery.service.ts'
import type { HookOwner } from '../../../webhooks/hook-owner.ts'
import { authorizationOf } from '../../../webhooks/hook-secrets.ts'
import { presentHook, presentHooks } from '../../../webhooks/hook.present.ts'
import { hookTypes, isHookType, settingsOfType } from '../../../webhooks/hook.rules.ts'
import { changeHook, createHook, getHook, pageOfHooks } from '../../../webhooks/hook.service.ts'
import { hookTexts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

/**
 * What the pages of webhooks do, for the settings of accounts, organizations and repositories and for the administration.
 * `hookPages` declares the pages of a place.
 */

const text = textUpTo(8192)

/** Path parameter of the page for a new webhook. */
export const hookTypeParam = enumeration(...hookTypes)

/** The fields of the form of a webhook, for `act`. */
export const hookFields = {
  url: text,
  content_type: text,
  secret: text,
  authorization_header: text,
  branch_filter: text,
  event_set: text,
  events: Type.Optional(Type.Array(Type.String({ maxLength: 100 }))),
  active: text,
  is_system_webhook: text,
  channel: text,
  username: text,
  icon_url: text,
  color: text,
}
type HookForm = Static<TObject<typeof hookFields>>

/** Prefixes of refusal codes with the fields of the form. */
export const hookProblems = { webhook_url: 'url', channel: 'channel' }

/** The query of the page of a webhook. */
export const deliveryQuery = {
  ...pageQuery,
  state: Type.Optional(enumeration('waiting', 'delivered', 'failed', 'skipped')),
}

/** The names of events that a form offers; each selects one event or a group. */
export const offeredEvents: readonly {
  readonly title: keyof typeof hookTexts.eventGroups
  readonly names: readonly string[]
}[] = [
  {
    title: 'repository',
    names: ['push', 'create', 'delete', 'fork', 'repository', 'release', 'wiki', 'package'],
  },
  {
    title: 'issues',
    names: ['issues_only', 'issue_comment', 'issue_assign', 'issue_label', 'issue_milestone'],
  },
  {
    title: 'pulls',
    names: [
      'pull_request_only',
      'pull_request_comment',
      'pull_request_review',
      'pull_request_review_request',
      'pull_request_sync',
      'pull_request_assign',
      'pull_request_label',
      'pull_request_milestone',
    ],
  },
  { title: 'actions', names: ['action_run_success', 'action_run_failure', 'action_run_recover'] },
]

const allNames = offeredEvents.flatMap(({ names }) => names)

function eventsOf(body: HookForm): readonly string[] {
  if (body.event_set === 'all') return allNames
  if (body.event_set !== 'chosen') return ['push']
  const chosen = body.events ?? []
  if (chosen.length === 0) throw new Invalid(hookTexts.noEvents, 'events_missing')
  return chosen
}

/** Returns the settings of the type that a form sends; absent ones are left out. */
const configOf = (type: string, body: HookForm): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      url: (body.url ?? '').trim(),
      content_type: body.content_type,
      secret: body.secret,
      is_system_webhook: body.is_system_webhook === undefined ? undefined : 'true',
      ...(settingsOfType(type).message
        ? { channel: body.channel ?? '', username: body.username, icon_url: body.icon_url, color: body.color }
        : {}),
    }).filter((each): each is [string, string] => each[1] !== undefined),
  )

const fieldsOf = (type: string, body: HookForm) => {
  const config = configOf(type, body)
  if (config['url'] === '') throw new Invalid(hookTexts.noAddress, 'webhook_url_missing')
  return {
    config,
    events: eventsOf(body),
    branchFilter: (body.branch_filter ?? '').trim(),
    isActive: body.active !== undefined,
  }
}

const isOfInstance = (owner: HookOwner): boolean => owner.repo_id === null && owner.owner_id === null

/** Returns the webhooks of an owner, for `HookList`; for the instance with the ids of those that apply everywhere. */
export async function loadHooks(ctx: Ctx, owner: HookOwner, query: PageQuery) {
  const page = pageOrWhole(query, ctx.config.api)
  const { rows, total } = await pageOfHooks(ctx, owner, page)
  const systemIds = isOfInstance(owner)
    ? rows.filter(({ level }) => level === 'system').map(({ id }) => Number(id))
    : undefined
  return { hooks: presentHooks(ctx, rows), total, systemIds }
}

/** Creates a webhook from its form. */
export async function createHookFrom(ctx: Ctx, owner: HookOwner, type: string, body: HookForm): Promise<number> {
  if (!isHookType(type)) throw new Invalid('this is not a type of webhook', 'webhook_type_invalid')
  const { config, ...fields } = fieldsOf(type, body)
  const authorization = body.authorization_header ?? ''
  return (await createHook(ctx, owner, { ...fields, config: { content_type: 'json', ...config }, authorization, type }))
    .id
}

/** Changes a webhook by its form. The secret stays, and so does what the form of the type does not have. */
export async function changeHookFrom(ctx: Ctx, owner: HookOwner, id: number, body: HookForm): Promise<void> {
  const hook = await getHook(ctx, owner, id)
  await changeHook(ctx, hook, {
    ...fieldsOf(hook.type, body),
    authorization: body.authorization_header ?? authorizationOf(ctx, hook),
    isSystem: isOfInstance(owner) ? body.is_system_webhook !== undefined : undefined,
  })
}

/** Returns a webhook with one page of its deliveries, for `HookPage`. */
export async function loadHook(
  ctx: Ctx,
  owner: HookOwner,
  id: number,
  query: PageQuery & { readonly state?: DeliveryState | undefined },
) {
  const hook = await getHook(ctx, owner, id)
  const page = pageOf(query, { ...ctx.config.api, defaultPagingNum: ctx.config.webhook.pagingNum })
  const { rows, total } = await pageOfDeliveries(ctx, hook, query.state, page)
  return {
    hook: presentHook(ctx, hook),
    hasSecret: hook.sealed_secret !== '',
    isSystem: isOfInstance(owner) ? hook.level === 'system' : undefined,
    deliveries: presentDeliveries(rows),
    state: query.state,
    page: page.number,
    pageSize: page.limit,
    total,
  }
}

/** Returns a delivery with its attempts, for `DeliveryPage`. */
export async function loadDelivery(
  ctx: Ctx,
  owner: HookOwner,
  ids: { readonly id: number; readonly delivery: number },
) {
  const hook = await getHook(ctx, owner, ids.id)
  return { hookId: hook.id, delivery: presentDelivery(ctx, hook, await getDelivery(ctx, hook, ids.delivery)) }
}

/** Sends one delivery again, or all failed ones. Returns how many begin to wait. */
export async function replay(ctx: Ctx, owner: HookOwner, id: number, delivery: number | undefined): Promise<number> {
  const hook = await getHook(ctx, owner, id)
  return delivery === undefined
    ? redeliver(ctx, hook, { first: 0, last: Number.MAX_SAFE_INTEGER, states: ['failed'] })
    : redeliverOne(ctx, hook, delivery)
}
