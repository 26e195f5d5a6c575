import { compileGlob, isWellFormedGlob } from '../lib/glob.ts'
import { branchOf } from '../lib/refs.ts'
import { webhookEvents, type WebhookEvent } from '../payloads/webhook-event.ts'

/** The kinds of receivers, as the API names them: the first three get the payload itself, the others what they read. */
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

const ofFamily = (family: string): readonly WebhookEvent[] => webhookEvents.filter((name) => name.startsWith(family))

const itself = [
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

/** What a name that is given stands for; other names stand for nothing. */
const chosenBy: ReadonlyMap<string, readonly WebhookEvent[]> = new Map<string, readonly WebhookEvent[]>([
  ...itself.map((name): [string, readonly WebhookEvent[]] => [name, [name]]),
  ['issues', ofFamily('issue')],
  ['issues_only', ['issues']],
  ['pull_request', ofFamily('pull_request')],
  ['pull_request_only', ['pull_request']],
  ['pull_request_comment', ['pull_request_comment', 'pull_request_review_comment']],
  ['pull_request_review', ['pull_request_review_approved', 'pull_request_review_rejected']],
])

/** What somebody gets who gives these names: pushes when they give none. Letter case does not count. */
export function chosenEvents(given: readonly string[]): WebhookEvent[] {
  const names = given.length > 0 ? given : ['push']
  const chosen = new Set(names.flatMap((name) => chosenBy.get(name.toLowerCase()) ?? []))
  return webhookEvents.filter((name) => chosen.has(name))
}

/** A filter that lets everything through. */
const isOpen = (filter: string): boolean => filter === '' || filter === '*'

/**
 * Compiles a branch filter: returns whether it lets a reference through. Its glob is about short names of branches, and `*` and
 * `?` cross slashes. References other than branches always pass.
 */
export function compileBranchFilter(filter: string): (ref: string | undefined) => boolean {
  if (isOpen(filter)) return () => true
  const fits = compileGlob(filter, '')
  return (ref) => {
    const branch = ref === undefined ? undefined : branchOf(ref)
    return branch === undefined || fits(branch)
  }
}

/** Longest texts of a webhook, in characters. */
const longest = { url: 2048, secret: 1024, authorization: 4096, filter: 1024, setting: 1024 }

/** The parts of a webhook that are looked at alike when it is made and when it is changed; what is not given is not looked at. */
export interface HookTexts {
  readonly config: Readonly<Record<string, string>>
  readonly branchFilter: string
  readonly authorization: string
}

/** What is wrong with the parts of a webhook, naming the field; undefined when nothing is. */
export function problemOf({ config, branchFilter, authorization }: HookTexts): string | undefined {
  const { url, content_type: contentType, secret = '', ...settings } = config
  if (url !== undefined && !isHookUrl(url)) return '[config.url]: must be an http or https URL'
  if (contentType !== undefined && contentType !== 'json' && contentType !== 'form') {
    return '[config.content_type]: must be json or form'
  }
  if (secret.length > longest.secret) return `[config.secret]: at most ${longest.secret} characters`
  const long = Object.keys(settings).find((name) => (settings[name] ?? '').length > longest.setting)
  if (long !== undefined) return `[config.${long.slice(0, 50)}]: at most ${longest.setting} characters`
  if (branchFilter.length > longest.filter || (branchFilter !== '' && !isWellFormedGlob(branchFilter))) {
    return '[branch_filter]: must be a glob'
  }
  if (!isHeaderValue(authorization)) return '[authorization_header]: must be the value of a header'
  return undefined
}

function isHookUrl(text: string): boolean {
  if (text.length > longest.url) return false
  const url = URL.parse(text)
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && /^https?:\/\/[^/?#]/i.test(text)
}

/** Printable ASCII in one line: a line break would begin another header. */
const isHeaderValue = (text: string): boolean => text.length <= longest.authorization && /^[\t\x20-\x7e]*$/.test(text)

/** The channel of a Slack webhook as it is kept; undefined for what is none. */
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

/** What a Slack webhook keeps besides its address. */
export const slackSettings = (channel: string, config: Readonly<Record<string, string>>): SlackSettings => ({
  channel,
  username: config['username'] ?? '',
  icon_url: config['icon_url'] ?? '',
  color: config['color'] ?? '',
})

/**
 * What the other types keep besides: the API takes none of it, and shows it empty (contract, webhooks: hook object). The
 * adaptors do without.
 */
export const emptyMetadata = (type: HookType): object | null => emptyByType.get(type) ?? null

const emptyByType: ReadonlyMap<HookType, object> = new Map<HookType, object>([
  ['discord', { username: '', icon_url: '' }],
  ['telegram', { bot_token: '', chat_id: '', thread_id: '' }],
  ['matrix', { homeserver_url: '', room_id: '', message_type: 0 }],
  ['packagist', { username: '', api_token: '', package_url: '' }],
  ['sourcehut_builds', { manifest_path: '', visibility: '', secrets: false }],
])
