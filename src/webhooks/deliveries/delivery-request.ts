import { createHash, createHmac } from 'node:crypto'
import type { WebhookRow } from '../../db/tables/webhooks.ts'
import type { OutgoingRequest } from '../../outgoing/outgoing.ts'
import { adaptorOf } from '../adaptors/adaptors.ts'
import type { WebhookPayload } from '../adaptors/payload-parts.ts'
import { isSecretName } from './delivery.rules.ts'
import { addressOf, authorizationOf, secretOf, type WithSecrets } from '../hook-secrets.ts'

/** The HTTP request of one delivery. */
export interface DeliveryRequest {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** An adaptor wrote the body; otherwise it is the payload. */
  readonly isAdapted: boolean
  /** Texts that are masked in the recorded request and answer. */
  readonly secrets: readonly string[]
}

interface DeliveredEvent {
  readonly uuid: string
  readonly event: string
  readonly event_type: string
  /** The payload as JSON. */
  readonly data: string
}

type Sealed = Pick<WebhookRow, 'type' | 'url' | 'content_type' | 'metadata' | 'sealed_secret' | 'sealed_authorization'>

/** Prefixes of header names; each request carries the headers of all of them (contract, webhooks: headers). */
const headerFamilies = ['Forgejo', 'Gitea', 'Gogs', 'Service']

/** Types whose requests carry no delivery headers. */
const withoutHeaders: readonly string[] = ['matrix', 'packagist']

/** Event types whose payload is indented by one space; all others by two (observed). */
const eventTypesIndentedByOne: readonly string[] = ['repository', 'wiki']

/**
 * Returns the request of a delivery: the same for each attempt unless the webhook changes. undefined when there is nothing to
 * send to a receiver of this type.
 */
export function deliveryRequest(
  services: WithSecrets,
  hook: Sealed,
  delivered: DeliveredEvent,
): DeliveryRequest | undefined {
  const payload = JSON.parse(delivered.data) as WebhookPayload
  const adapt = adaptorOf(hook.type)
  const shown = adapt
    ? adapt({ event: delivered.event, eventType: delivered.event_type, payload }, JSON.parse(hook.metadata))
    : payload
  if (shown === undefined) return undefined
  const json = jsonOf(shown, adapt ? '' : delivered.event_type)
  const secret = secretOf(services, hook)
  const authorization = authorizationOf(services, hook)
  const isForm = hook.content_type === 'form' && !adapt
  const headers: Record<string, string> = {
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    ...(authorization === '' ? {} : { authorization }),
    ...(withoutHeaders.includes(hook.type) ? {} : deliveryHeaders(delivered, json, secret)),
  }
  const isMatrix = hook.type === 'matrix'
  const address = addressOf(services, hook)
  return {
    url: isMatrix ? withMatrixTransactionId(address, json) : address,
    method: isMatrix ? 'PUT' : 'POST',
    headers,
    body: isForm ? formOf(json) : json,
    isAdapted: adapt !== undefined,
    secrets: [secret, authorization, ...passwordsIn(address), ...secretPartsOf(address)],
  }
}

const jsonOf = (payload: object, eventType: string): string =>
  JSON.stringify(payload, null, eventTypesIndentedByOne.includes(eventType) ? 1 : 2)

const formOf = (json: string): string => new URLSearchParams([['payload', json]]).toString()

/** Returns the body of a delivery that sends the payload itself. */
export function payloadTextOf(
  hook: Pick<WebhookRow, 'content_type'>,
  delivered: Pick<DeliveredEvent, 'data' | 'event_type'>,
): string {
  const json = jsonOf(JSON.parse(delivered.data) as object, delivered.event_type)
  return hook.content_type === 'form' ? formOf(json) : json
}

function deliveryHeaders(delivered: DeliveredEvent, json: string, secret: string): Record<string, string> {
  const mac = (algorithm: 'sha1' | 'sha256'): string =>
    secret === '' ? '' : createHmac(algorithm, secret).update(json).digest('hex')
  const sha256 = mac('sha256')
  const headers: Record<string, string> = {}
  for (const family of [...headerFamilies, 'GitHub']) {
    headers[`x-${family.toLowerCase()}-delivery`] = delivered.uuid
    headers[`x-${family.toLowerCase()}-event`] = delivered.event
    headers[`x-${family.toLowerCase()}-event-type`] = delivered.event_type
  }
  for (const family of headerFamilies) headers[`x-${family.toLowerCase()}-signature`] = sha256
  headers['x-hub-signature'] = `sha1=${mac('sha1')}`
  headers['x-hub-signature-256'] = `sha256=${sha256}`
  return headers
}

/** Matrix takes each transaction id once; the hash of the body makes retries idempotent. */
function withMatrixTransactionId(text: string, body: string): string {
  const url = new URL(text)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${createHash('sha1').update(body).digest('hex')}`
  return url.href
}

function passwordsIn(text: string): string[] {
  const url = URL.parse(text)
  return url ? [url.password, decodeURIComponentOr(url.password)] : []
}

/** Shorter path segments are ordinary words that an answer may contain. */
const minPathSecretLength = 16

/** Returns the parts of an address that may be secret: long path segments, and query values by their names. */
function secretPartsOf(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  return [
    ...url.pathname.split('/').filter((part) => part.length >= minPathSecretLength),
    ...[...url.searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
  ]
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed escapes: the HTTP client refuses such an address itself.
    return text
  }
}

export const outgoingRequest = ({ method, headers, body }: DeliveryRequest, signal: AbortSignal): OutgoingRequest => ({
  method,
  headers,
  body,
  maxRedirects: 10,
  whenTooLarge: 'cut',
  signal,
})
