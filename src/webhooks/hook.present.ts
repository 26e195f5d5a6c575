import type { Ctx } from '../access/context.ts'
import type { WebhookRow } from '../db/tables/webhooks.ts'
import { formatUnix } from '../lib/time.ts'
import { addressOf, authorizationOf } from './hook-secrets.ts'
import type { Hook } from './hook.schemas.ts'

const slackMembers = ['channel', 'username', 'icon_url', 'color']

/** Returns the `config` member; that of a Slack webhook includes its settings. */
function configOf(hook: WebhookRow, url: string, metadata: unknown): Record<string, string> {
  const config = { content_type: hook.content_type, url }
  if (hook.type !== 'slack') return config
  const settings = metadata as Readonly<Record<string, string>>
  return { ...config, ...Object.fromEntries(slackMembers.map((name) => [name, settings[name] ?? ''])) }
}

/** Returns webhooks as the API shows them, with the authorization but without the secret (contract, webhooks: hook object). */
export const presentHooks = (ctx: Pick<Ctx, 'secrets'>, hooks: readonly WebhookRow[]): Hook[] =>
  hooks.map((hook) => {
    const metadata: unknown = JSON.parse(hook.metadata)
    const url = addressOf(ctx, hook)
    return {
      id: hook.id,
      type: hook.type,
      branch_filter: hook.branch_filter,
      url,
      config: configOf(hook, url, metadata),
      events: JSON.parse(hook.events) as string[],
      authorization_header: authorizationOf(ctx, hook),
      content_type: hook.content_type,
      metadata,
      active: hook.is_active,
      updated_at: formatUnix(hook.updated_unix),
      created_at: formatUnix(hook.created_unix),
      paused_since: hook.paused_unix === 0 ? null : formatUnix(hook.paused_unix),
      problem: hook.problem,
      next_attempt_at: hook.retry_at_ms === 0 ? null : formatUnix(Math.ceil(hook.retry_at_ms / 1000)),
    }
  })

export const presentHook = (ctx: Pick<Ctx, 'secrets'>, hook: WebhookRow): Hook => presentHooks(ctx, [hook])[0] as Hook
