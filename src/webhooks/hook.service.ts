import type { Ctx, Services } from '../access/context.ts'
import { tellCredentialChange } from '../access/credential-change.ts'
import { recordAct } from '../audit/audit.ts'
import { clockOf } from '../db/clock.ts'
import { transaction } from '../db/database.ts'
import type { HookLevel, WebhookChange, WebhookRow } from '../db/tables/webhooks.ts'
import { BadRequest, Invalid, NotFound } from '../lib/errors.ts'
import type { HookId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { hooksOfInstance, type HookPlace } from './hook-place.ts'
import { addressOf, addressPurpose, authorizationPurpose, sealedFor, secretPurpose } from './hook-secrets.ts'
import {
  chosenEvents,
  emptyMetadata,
  isHookType,
  problemOf,
  slackChannelOf,
  slackSettings,
  type HookType,
} from './hook.rules.ts'
import { countHooks, deleteHook, findHook, insertHook, listHooks, updateHook } from './hook.store.ts'
import { forgetPayloads } from './delete-unused-payloads.job.ts'
import { callOnHook } from './line.service.ts'

/** What a webhook is made of. */
export interface NewHook {
  readonly type: string
  /** Address, form, secret and what the type needs besides, by the names of the API. */
  readonly config: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly branchFilter: string
  readonly authorization: string
  readonly isActive: boolean
}

/** A change of a webhook. */
export interface HookChange {
  readonly config: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly branchFilter: string
  readonly authorization: string
  /** Undefined keeps the state. */
  readonly isActive: boolean | undefined
}

/** One page of the webhooks of a place and how many there are. */
export async function pageOfHooks(
  { db }: Services,
  place: HookPlace,
  page: Page,
): Promise<{ rows: WebhookRow[]; total: number }> {
  const [rows, total] = await Promise.all([listHooks(db, place, page), countHooks(db, place)])
  return { rows, total }
}

/** The webhooks that get every repository's events, all of them. */
export const listSystemHooks = ({ db, config }: Services): Promise<WebhookRow[]> =>
  listHooks(db, hooksOfInstance, { number: 1, limit: config.ingot.maxWebhooks, offset: 0 }, 'system')

/** The webhook of the place; `NotFound` also for one of another place. */
export async function getHook({ db }: Services, place: HookPlace, id: number): Promise<WebhookRow> {
  const hook = await findHook(db, place, id as HookId)
  if (!hook) throw noHook()
  return hook
}

const noHook = (): NotFound => new NotFound('there is no such webhook', 'webhook_not_found')

/** What is kept besides the address: of Slack the channel (none is `Invalid`, a bad one `BadRequest`), of others nothing. */
function metadataOf(type: HookType, config: Readonly<Record<string, string>>): string {
  if (type !== 'slack') return JSON.stringify(emptyMetadata(type))
  const given = config['channel']
  if (given === undefined) throw new Invalid('[config.channel]: is required', 'channel_required')
  return JSON.stringify(slackSettings(checkedChannel(given), config))
}

function checkedChannel(given: string): string {
  const channel = slackChannelOf(given)
  if (channel === undefined) throw new BadRequest('this is no name of a Slack channel', 'channel_invalid')
  return channel
}

function levelOf(place: HookPlace, config: Readonly<Record<string, string>>): HookLevel {
  if (place.repo_id !== null) return 'repository'
  if (place.owner_id !== null) return 'account'
  const flag = config['is_system_webhook']
  if (flag === undefined || flag === '' || flag === 'false') return 'default'
  if (flag === 'true') return 'system'
  throw new Invalid('[config.is_system_webhook]: must be true or false', 'system_flag_invalid')
}

/** What the audit log says of every act on a webhook: its address may hold a secret, its host does not. */
const actOn = (services: Services, { id, url, repo_id, owner_id }: WebhookRow) =>
  ({
    about: { kind: 'webhook', id, name: URL.parse(addressOf(services, { url }))?.host ?? '' },
    details: {
      ...(repo_id === null ? {} : { repository: repo_id }),
      ...(owner_id === null ? {} : { account: owner_id }),
    },
  }) as const

/**
 * Makes a webhook. `Invalid` names the first wrong part; a bad Slack channel is `BadRequest` (contract, webhooks: create). A
 * place has at most `[ingot].MAX_WEBHOOKS` of them, since each of its events goes to all.
 */
export async function createHook(services: Ctx, place: HookPlace, input: NewHook): Promise<WebhookRow> {
  const { type, config, branchFilter, authorization, isActive } = input
  if (!isHookType(type)) throw new Invalid('[type]: is no type of webhook', 'webhook_type_invalid')
  const { url, content_type: contentType } = config
  if (url === undefined || contentType === undefined) {
    throw new Invalid(`[config.${url === undefined ? 'url' : 'content_type'}]: is required`, 'webhook_invalid')
  }
  const problem = problemOf({ config, branchFilter, authorization })
  if (problem !== undefined) throw new Invalid(problem, 'webhook_invalid')
  const level = levelOf(place, config)
  const metadata = metadataOf(type, config)
  const now = nowUnix(services.clock)
  const most = services.config.ingot.maxWebhooks
  return transaction(services.db, async (tx) => {
    if ((await countHooks(tx, place)) >= most) {
      throw new Invalid(`there are ${most} webhooks already, which is the most`, 'too_many_webhooks')
    }
    const made = await insertHook(tx, {
      level,
      owner_id: place.owner_id,
      repo_id: place.repo_id,
      type,
      url: sealedFor(addressPurpose, services, url),
      content_type: contentType as WebhookRow['content_type'],
      events: JSON.stringify(chosenEvents(input.events)),
      branch_filter: branchFilter,
      metadata,
      sealed_secret: sealedFor(secretPurpose, services, config['secret'] ?? ''),
      sealed_authorization: sealedFor(authorizationPurpose, services, authorization),
      is_active: isActive,
      created_unix: now,
      updated_unix: now,
    })
    await recordAct(tx, { ...actOn(services, made), action: 'webhook.created' })
    await tellCredentialChange(tx, services, 'webhook', actOn(services, made).about.name)
    return made
  })
}

/**
 * Changes a webhook. Absent parts of `config` and an absent `isActive` stay unchanged. Events, filter and authorization are
 * always written, so callers that leave them out reset them (recorded: webhooks/repo-crud, organizations/org-hooks). Waiting
 * deliveries are sent at once, because the change may have repaired the receiver.
 */
export async function changeHook(services: Ctx, hook: WebhookRow, input: HookChange): Promise<WebhookRow> {
  const { config, branchFilter, authorization } = input
  const { secret: _kept, ...looked } = config
  const problem = problemOf({ config: looked, branchFilter, authorization })
  if (problem !== undefined) throw new Invalid(problem, 'webhook_invalid')
  const { channel } = config
  const change: WebhookChange = {
    url: sealedFor(addressPurpose, services, config['url'] ?? addressOf(services, hook)),
    content_type: (config['content_type'] as WebhookRow['content_type'] | undefined) ?? hook.content_type,
    metadata:
      hook.type === 'slack' && channel !== undefined
        ? JSON.stringify(slackSettings(checkedChannel(channel), config))
        : hook.metadata,
    events: JSON.stringify(chosenEvents(input.events)),
    branch_filter: branchFilter,
    sealed_authorization: sealedFor(authorizationPurpose, services, authorization),
    is_active: input.isActive ?? hook.is_active,
    updated_unix: nowUnix(services.clock),
  }
  return transaction(services.db, async (tx) => {
    const changed = await updateHook(tx, hook.id, change)
    if (!changed) throw noHook()
    await recordAct(tx, { ...actOn(services, changed), action: 'webhook.changed' })
    await tellCredentialChange(tx, services, 'webhook', actOn(services, changed).about.name)
    return callOnHook(tx, changed, clockOf(tx).nowMs())
  })
}

/** Removes a webhook with its deliveries, and what was told in them soon after. */
export async function removeHook(services: Services, hook: WebhookRow): Promise<void> {
  await transaction(services.db, async (tx) => {
    if (!(await deleteHook(tx, hook.id))) throw noHook()
    await recordAct(tx, { ...actOn(services, hook), action: 'webhook.deleted' })
    await forgetPayloads(tx)
  })
}
