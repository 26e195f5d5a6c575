import { compileGlob, faultOfGlob } from '../lib/glob.ts'
import { branchOf } from '../lib/refs.ts'
import type { WorkBudget } from '../lib/work-budget.ts'
import { webhookEvents, type WebhookEvent } from '../payloads/webhook-event.ts'

/** Types of webhooks: the first three get the payload itself, the others the message format of a service. */
export const hookTypes = [
  'forgejo',
  'gitea',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'matrix',
  'wechatwork',
  'packagist',
  'sourcehut_builds',
] as const
export type HookType = (typeof hookTypes)[number]

export const isHookType = (text: string): text is HookType => (hookTypes as readonly string[]).includes(text)

/** Types whose receivers get the payload itself. They choose its form, and check its signature. */
const payloadTypes: readonly string[] = ['forgejo', 'gitea', 'gogs']

/** Other types whose receivers read the `Authorization` header. Chats are opened by their address. */
const authorizedTypes: readonly string[] = ['matrix', 'packagist', 'sourcehut_builds']

/** The settings that receivers of a type make use of, besides its address and events. */
interface HookTypeSettings {
  readonly contentType: boolean
  readonly secret: boolean
  readonly authorization: boolean
  /** Channel, sender, picture and colour. */
  readonly message: boolean
}

/** Returns the settings that receivers of a type make use of. */
export function settingsOfType(type: string): HookTypeSettings {
  const isPayload = payloadTypes.includes(type)
  return {
    contentType: isPayload,
    secret: isPayload,
    authorization: isPayload || authorizedTypes.includes(type),
    message: type === 'slack',
  }
}

const withPrefix = (prefix: string): readonly WebhookEvent[] => webhookEvents.filter((name) => name.startsWith(prefix))

const eventsNamedAlike = [
  'create',
  'delete',
  'fork',
  'push',
  'wiki',
  'repository',
  'release',
  'package',
  'issue_assign',
  'issue_label',
  'issue_milestone',
  'issue_comment',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_sync',
  'pull_request_review_request',
  'action_run_failure',
  'action_run_recover',
  'action_run_success',
] as const satisfies readonly WebhookEvent[]

/** The events that each name of a request selects; unknown names select none. */
const eventsByName: ReadonlyMap<string, readonly WebhookEvent[]> = new Map<string, readonly WebhookEvent[]>([
  ...eventsNamedAlike.map((name): [string, readonly WebhookEvent[]] => [name, [name]]),
  ['issues', withPrefix('issue')],
  ['issues_only', ['issues']],
  ['pull_request', withPrefix('pull_request')],
  ['pull_request_only', ['pull_request']],
  ['pull_request_comment', ['pull_request_comment', 'pull_request_review_comment']],
  ['pull_request_review', ['pull_request_review_approved', 'pull_request_review_rejected']],
])

/** Returns the events that names select, ignoring letter case; without names it is `push`. */
export function selectedEvents(given: readonly string[]): WebhookEvent[] {
  const names = given.length > 0 ? given : ['push']
  const chosen = new Set(names.flatMap((name) => eventsByName.get(name.toLowerCase()) ?? []))
  return webhookEvents.filter((name) => chosen.has(name))
}

/** Returns whether a filter passes everything. */
const passesAll = (filter: string): boolean => filter === '' || filter === '*'

/**
 * Compiles a branch filter into a test of references. The glob matches short branch names; `*` and `?` also match slashes.
 * References other than branches always pass, and those that exceed the budget.
 */
export function compileBranchFilter(filter: string, budget: WorkBudget): (ref: string | undefined) => boolean {
  if (passesAll(filter)) return () => true
  const pattern = compileGlob(filter, '', budget)
  return (ref) => {
    const branch = ref === undefined ? undefined : branchOf(ref)
    return branch === undefined || pattern.match(branch) !== false
  }
}

/** Longest texts of a webhook, in characters. */
const maxLengths = { url: 2048, secret: 1024, authorization: 4096, filter: 1024, setting: 1024 }

/** The fields of a webhook that creating and editing validate alike; absent ones are not checked. */
export interface HookFields {
  readonly config: Readonly<Record<string, string>>
  readonly branchFilter: string
  readonly authorization: string
}

/** Returns the first invalid field with its fault; undefined when all are valid. */
export function problemOf({ config, branchFilter, authorization }: HookFields): string | undefined {
  const { url, content_type: contentType, secret = '', ...settings } = config
  if (url !== undefined && !isHookUrl(url)) return '[config.url]: must be an http or https URL'
  if (contentType !== undefined && contentType !== 'json' && contentType !== 'form') {
    return '[config.content_type]: must be json or form'
  }
  if (secret.length > maxLengths.secret) return `[config.secret]: at most ${maxLengths.secret} characters`
  const long = Object.keys(settings).find((name) => (settings[name] ?? '').length > maxLengths.setting)
  if (long !== undefined) return `[config.${long.slice(0, 50)}]: at most ${maxLengths.setting} characters`
  if (branchFilter.length > maxLengths.filter || (branchFilter !== '' && faultOfGlob(branchFilter) !== undefined)) {
    return '[branch_filter]: must be a glob'
  }
  if (!isHeaderValue(authorization)) return '[authorization_header]: must be the value of a header'
  return undefined
}

function isHookUrl(text: string): boolean {
  if (text.length > maxLengths.url) return false
  const url = URL.parse(text)
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && /^https?:\/\/[^/?#]/i.test(text)
}

/** One line of printable ASCII: a line break would begin another header. */
const isHeaderValue = (text: string): boolean =>
  text.length <= maxLengths.authorization && /^[\t\x20-\x7e]*$/.test(text)

/** Returns the name of a Slack channel without blanks around it; undefined when it is invalid. */
export function slackChannelOf(given: string): string | undefined {
  const channel = given.trim()
  return /^#?[a-z0-9_-]{1,80}$/.test(channel) ? channel : undefined
}

export interface SlackSettings {
  readonly channel: string
  readonly username: string
  readonly icon_url: string
  readonly color: string
}

/** Returns the settings of a Slack webhook besides its address. */
export const slackSettings = (channel: string, config: Readonly<Record<string, string>>): SlackSettings => ({
  channel,
  username: config['username'] ?? '',
  icon_url: config['icon_url'] ?? '',
  color: config['color'] ?? '',
})

/** Returns the settings of the other types, which the API shows but cannot change (contract, webhooks: hook object). */
export const emptyMetadata = (type: HookType): object | null => emptyByType.get(type) ?? null

const emptyByType: ReadonlyMap<HookType, object> = new Map<HookType, object>([
  ['discord', { username: '', icon_url: '' }],
  ['telegram', { bot_token: '', chat_id: '', thread_id: '' }],
  ['matrix', { homeserver_url: '', room_id: '', message_type: 0 }],
  ['packagist', { username: '', api_token: '', package_url: '' }],
  ['sourcehut_builds', { manifest_path: '', visibility: '', secrets: false }],
])
