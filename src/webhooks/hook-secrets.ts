import type { WebhookRow } from '../db/tables/webhooks.ts'
import { SealError, type Secrets } from '../secrets/secrets.ts'

/** What the secrets of webhooks are sealed for. */
export const secretPurpose = 'webhook-secret'
export const authorizationPurpose = 'webhook-authorization'
export const addressPurpose = 'webhook-address'

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

/** Returns the address of a webhook, which for chat services is the whole secret. */
export const addressOf = ({ secrets }: HasSecrets, { url }: Pick<WebhookRow, 'url'>): string =>
  secrets.open(addressPurpose, url)

/** Returns the address that an attempt kept; `***` when its key is gone, since attempts are not sealed anew. */
export function keptAddress({ secrets }: HasSecrets, kept: string): string {
  try {
    return secrets.open(addressPurpose, kept)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return '***'
  }
}
