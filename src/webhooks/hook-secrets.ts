import type { WebhookRow } from '../db/tables/webhooks.ts'
import { SealError, type Secrets } from '../secrets/secrets.ts'

/** Purposes that the secrets of webhooks are sealed for. */
export const secretPurpose = 'webhook-secret'
export const authorizationPurpose = 'webhook-authorization'
export const addressPurpose = 'webhook-address'

export interface WithSecrets {
  readonly secrets: Secrets
}

/** Returns the sealed text; an empty text stays empty. */
export const sealedFor = (purpose: string, { secrets }: WithSecrets, text: string): string =>
  text === '' ? '' : secrets.seal(purpose, text)

const open = (purpose: string, { secrets }: WithSecrets, text: string): string =>
  text === '' ? '' : secrets.open(purpose, text)

/** Returns the value of the `Authorization` header; empty when none is sent. */
export const authorizationOf = (services: WithSecrets, hook: Pick<WebhookRow, 'sealed_authorization'>): string =>
  open(authorizationPurpose, services, hook.sealed_authorization)

/** Returns the secret that signs payloads; empty when there is none. */
export const secretOf = (services: WithSecrets, hook: Pick<WebhookRow, 'sealed_secret'>): string =>
  open(secretPurpose, services, hook.sealed_secret)

/** Returns the address of a webhook, which is the only secret of chat services. */
export const addressOf = ({ secrets }: WithSecrets, { url }: Pick<WebhookRow, 'url'>): string =>
  secrets.open(addressPurpose, url)

/** Returns the address that an attempt recorded; `***` when its key is gone, because key rotation does not reseal attempts. */
export function recordedAddress({ secrets }: WithSecrets, recorded: string): string {
  try {
    return secrets.open(addressPurpose, recorded)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return '***'
  }
}
