import type { Ctx, Services } from '../access/context.ts'
import { publishCredentialChange } from '../access/credential-change.ts'
import { recordAct } from '../audit/audit.ts'
import { clockOf } from '../db/clock.ts'
import { transaction } from '../db/database.ts'
import type { HookLevel, WebhookChange, WebhookRow } from '../db/tables/webhooks.ts'
import { BadRequest, Invalid, NotFound } from '../lib/errors.ts'
import { enqueueAll } from '../jobs/queue.ts'
import type { HookId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { hooksOfInstance, type HookOwner } from './hook-owner.ts'
import { addressOf, addressPurpose, authorizationPurpose, sealedFor, secretPurpose } from './hook-secrets.ts'
import {
  selectedEvents,
  emptyMetadata,
  isHookType,
  problemOf,
  slackChannelOf,
  slackSettings,
  type HookType,
} from './hook.rules.ts'
import { countHooks, deleteHook, findHook, insertHook, listHooks, updateHook } from './hook.store.ts'
import { deletePayloadsLater } from './deliveries/delete-unused-payloads.job.ts'
import { planDeliveries } from './deliveries/deliver-webhook.job.ts'
import { clearRetryDelays } from './deliveries/delivery.store.ts'

/** The fields of a new webhook. */
export interface NewHook {
  readonly type: string
  /** Address, content type, secret and settings of the type, by their names in the API. */
  readonly config: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly branchFilter: string
  readonly authorization: string
  readonly isActive: boolean
}

/** The fields of an edited webhook. */
export interface HookChange {
  readonly config: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly branchFilter: string
  readonly authorization: string
  /** Undefined keeps it as it is. */
  readonly isActive: boolean | undefined
  /** Whether a webhook of the instance gets the events of all repositories, instead of being copied to new ones. */
  readonly isSystem?: boolean | undefined
}

/** Returns one page of the webhooks of an owner and their total. */
export async function pageOfHooks(
  { db }: Services,
  owner: HookOwner,
  page: Page,
): Promise<{ rows: WebhookRow[]; total: number }> {
  const [rows, total] = await rowsAndTotal(page, listHooks(db, owner, page), countHooks(db, owner))
  return { rows, total }
}

/** Lists the webhooks of the instance that get the events of all repositories. */
export const listSystemHooks = ({ db, config }: Services): Promise<WebhookRow[]> =>
  listHooks(db, hooksOfInstance, { number: 1, limit: config.ingot.maxWebhooks, offset: 0 }, 'system')

/** Returns a webhook of an owner. Throws `NotFound` for a webhook of another owner. */
export async function getHook({ db }: Services, owner: HookOwner, id: number): Promise<WebhookRow> {
  const hook = await findHook(db, owner, id as HookId)
  if (!hook) throw noHook()
  return hook
}

const noHook = (): NotFound => new NotFound('no webhook with this id exists here', 'webhook_not_found')

/** Returns the settings column. A Slack webhook without a channel is `Invalid`, with an invalid one `BadRequest`. */
function metadataOf(type: HookType, config: Readonly<Record<string, string>>): string {
  if (type !== 'slack') return JSON.stringify(emptyMetadata(type))
  const given = config['channel']
  if (given === undefined) throw new Invalid('[config.channel]: is required', 'channel_required')
  return JSON.stringify(slackSettings(checkedChannel(given), config))
}

function checkedChannel(given: string): string {
  const channel = slackChannelOf(given)
  if (channel === undefined) throw new BadRequest('the name of the Slack channel is invalid', 'channel_invalid')
  return channel
}

function levelOf(owner: HookOwner, config: Readonly<Record<string, string>>): HookLevel {
  if (owner.repo_id !== null) return 'repository'
  if (owner.owner_id !== null) return 'account'
  const flag = config['is_system_webhook']
  if (flag === undefined || flag === '' || flag === 'false') return 'default'
  if (flag === 'true') return 'system'
  throw new Invalid('[config.is_system_webhook]: must be true or false', 'system_flag_invalid')
}

/** Only webhooks of the instance have two levels. */
function changedLevel({ level }: WebhookRow, isSystem: boolean | undefined): HookLevel {
  if (isSystem === undefined || (level !== 'system' && level !== 'default')) return level
  return isSystem ? 'system' : 'default'
}

/** Returns the entry of the audit log. It names the host only, because the address may hold a secret. */
const auditEntry = (services: Services, { id, url, repo_id, owner_id }: WebhookRow) =>
  ({
    about: { kind: 'webhook', id, name: URL.parse(addressOf(services, { url }))?.host ?? '' },
    details: {
      ...(repo_id === null ? {} : { repository: repo_id }),
      ...(owner_id === null ? {} : { account: owner_id }),
    },
  }) as const

/**
 * Creates a webhook. `Invalid` names the first invalid field; an invalid Slack channel is `BadRequest` (contract, webhooks:
 * create). An owner has at most `[ingot].MAX_WEBHOOKS`, because each event is written once per webhook.
 */
export async function createHook(services: Ctx, owner: HookOwner, input: NewHook): Promise<WebhookRow> {
  const { type, config, branchFilter, authorization, isActive } = input
  if (!isHookType(type)) throw new Invalid('[type]: is not a type of webhook', 'webhook_type_invalid')
  const { url, content_type: contentType } = config
  if (url === undefined || contentType === undefined) {
    throw new Invalid(`[config.${url === undefined ? 'url' : 'content_type'}]: is required`, 'webhook_invalid')
  }
  const problem = problemOf({ config, branchFilter, authorization })
  if (problem !== undefined) throw new Invalid(problem, 'webhook_invalid')
  const level = levelOf(owner, config)
  const metadata = metadataOf(type, config)
  const now = nowUnix(services.clock)
  const limit = services.config.ingot.maxWebhooks
  return transaction(services.db, async (tx) => {
    if ((await countHooks(tx, owner)) >= limit) {
      throw new Invalid(`the limit of ${limit} webhooks is reached; delete one first`, 'too_many_webhooks')
    }
    const hook = await insertHook(tx, {
      level,
      owner_id: owner.owner_id,
      repo_id: owner.repo_id,
      type,
      url: sealedFor(addressPurpose, services, url),
      content_type: contentType as WebhookRow['content_type'],
      events: JSON.stringify(selectedEvents(input.events)),
      branch_filter: branchFilter,
      metadata,
      sealed_secret: sealedFor(secretPurpose, services, config['secret'] ?? ''),
      sealed_authorization: sealedFor(authorizationPurpose, services, authorization),
      is_active: isActive,
      created_unix: now,
      updated_unix: now,
    })
    await recordAct(tx, { ...auditEntry(services, hook), action: 'webhook.created' })
    await publishCredentialChange(tx, services, 'webhook', auditEntry(services, hook).about.name)
    return hook
  })
}

/**
 * Changes a webhook. Absent members of `config` and an absent `isActive` stay unchanged. Events, filter and authorization are
 * always written, so an absent one is reset (recorded: webhooks/repo-crud, organizations/org-hooks). Waiting deliveries become due at
 * once, because the change may have repaired the receiver.
 */
export async function changeHook(services: Ctx, hook: WebhookRow, input: HookChange): Promise<WebhookRow> {
  const { config, branchFilter, authorization } = input
  const { secret: _unchanged, ...checked } = config
  const problem = problemOf({ config: checked, branchFilter, authorization })
  if (problem !== undefined) throw new Invalid(problem, 'webhook_invalid')
  const { channel } = config
  const change: WebhookChange = {
    url: sealedFor(addressPurpose, services, config['url'] ?? addressOf(services, hook)),
    content_type: (config['content_type'] as WebhookRow['content_type'] | undefined) ?? hook.content_type,
    metadata:
      hook.type === 'slack' && channel !== undefined
        ? JSON.stringify(slackSettings(checkedChannel(channel), config))
        : hook.metadata,
    events: JSON.stringify(selectedEvents(input.events)),
    branch_filter: branchFilter,
    sealed_authorization: sealedFor(authorizationPurpose, services, authorization),
    is_active: input.isActive ?? hook.is_active,
    level: changedLevel(hook, input.isSystem),
    updated_unix: nowUnix(services.clock),
    failures: 0,
    retry_at_ms: 0,
    paused_unix: 0,
    problem: '',
  }
  return transaction(services.db, async (tx) => {
    const changed = await updateHook(tx, hook.id, change)
    if (!changed) throw noHook()
    await recordAct(tx, { ...auditEntry(services, changed), action: 'webhook.changed' })
    await publishCredentialChange(tx, services, 'webhook', auditEntry(services, changed).about.name)
    await clearRetryDelays(tx, hook.id)
    await enqueueAll(tx, [planDeliveries(hook.id, hook.failures === 0, clockOf(tx).nowMs())])
    return changed
  })
}

/** Deletes a webhook with its deliveries and, soon after, their payloads. */
export async function removeHook(services: Services, hook: WebhookRow): Promise<void> {
  await transaction(services.db, async (tx) => {
    if (!(await deleteHook(tx, hook.id))) throw noHook()
    await recordAct(tx, { ...auditEntry(services, hook), action: 'webhook.deleted' })
    await deletePayloadsLater(tx)
  })
}
