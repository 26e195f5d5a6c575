import type { WebhookRow } from '../db/tables/webhooks.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** What the secrets of webhooks are sealed for. */
export const secretPurpose = 'webhook-secret'
export const authorizationPurpose = 'webhook-authorization'

export interface HasSecrets {
  readonly secrets: Secrets
}

/** The text as it is kept; an empty one stays empty. */
export const sealedFor = (purpose: string, { secrets }: HasSecrets, text: string): string =>
  text === '' ? '' : secrets.seal(purpose, text)

const opened = (purpose: string, { secrets }: HasSecrets, text: string): string =>
  text === '' ? '' : secrets.open(purpose, text)

/** What is sent as `Authorization`; empty for nothing. */
export const authorizationOf = (services: HasSecrets, hook: Pick<WebhookRow, 'sealed_authorization'>): string =>
  opened(authorizationPurpose, services, hook.sealed_authorization)

/** What payloads are signed with; empty for nothing. */
export const secretOf = (services: HasSecrets, hook: Pick<WebhookRow, 'sealed_secret'>): string =>
  opened(secretPurpose, services, hook.sealed_secret)
