import { createHash, createHmac } from 'node:crypto'
import type { WebhookRow } from '../db/tables/webhooks.ts'
import type { OutgoingRequest } from '../outgoing/outgoing.ts'
import { adaptorOf } from './adaptors/adaptors.ts'
import type { WebhookPayload } from './adaptors/payload-parts.ts'
import { isSecretName } from './delivery.rules.ts'
import { addressOf, authorizationOf, secretOf, type HasSecrets } from './hook-secrets.ts'

/** What goes out for one delivery. */
export interface HookRequest {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body is that of an adaptor, and not the payload itself. */
  readonly isAdapted: boolean
  /** What must not be kept of it, nor of what the receiver sends back. */
  readonly secrets: readonly string[]
}

interface Told {
  readonly uuid: string
  readonly event: string
  readonly event_type: string
  /** The payload as JSON. */
  readonly data: string
}

type Sealed = Pick<WebhookRow, 'type' | 'url' | 'content_type' | 'metadata' | 'sealed_secret' | 'sealed_authorization'>

/** The families of header names, all of which are sent (contract, webhooks: headers). */
const families = ['Forgejo', 'Gitea', 'Gogs', 'Service']

/** Types whose receivers know no such headers. */
const withoutHeaders: readonly string[] = ['matrix', 'packagist']

/** Payloads of these are indented by one space, all others by two (observed). */
const indentedByOne: readonly string[] = ['repository', 'wiki']

/**
 * The request that tells a receiver of an event: the same each time it is made, but for what was changed at the webhook
 * meanwhile. undefined when there is nothing to say to a receiver of this type.
 */
export function requestFor(services: HasSecrets, hook: Sealed, told: Told): HookRequest | undefined {
  const payload = JSON.parse(told.data) as WebhookPayload
  const adapt = adaptorOf(hook.type)
  const shown = adapt
    ? adapt({ event: told.event, eventType: told.event_type, payload }, JSON.parse(hook.metadata))
    : payload
  if (shown === undefined) return undefined
  const json = jsonOf(shown, adapt ? '' : told.event_type)
  const secret = secretOf(services, hook)
  const authorization = authorizationOf(services, hook)
  const isForm = hook.content_type === 'form' && !adapt
  const headers: Record<string, string> = {
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    ...(authorization === '' ? {} : { authorization }),
    ...(withoutHeaders.includes(hook.type) ? {} : deliveryHeaders(told, json, secret)),
  }
  const isMatrix = hook.type === 'matrix'
  const address = addressOf(services, hook)
  return {
    url: isMatrix ? withTransaction(address, json) : address,
    method: isMatrix ? 'PUT' : 'POST',
    headers,
    body: isForm ? formOf(json) : json,
    isAdapted: adapt !== undefined,
    secrets: [secret, authorization, ...userOf(address), ...partSecretsOf(address)],
  }
}

const jsonOf = (payload: object, eventType: string): string =>
  JSON.stringify(payload, null, indentedByOne.includes(eventType) ? 1 : 2)

const formOf = (json: string): string => new URLSearchParams([['payload', json]]).toString()

/** The body of a payload that goes out as it is. */
export function payloadTextOf(hook: Pick<WebhookRow, 'content_type'>, told: Pick<Told, 'data' | 'event_type'>): string {
  const json = jsonOf(JSON.parse(told.data) as object, told.event_type)
  return hook.content_type === 'form' ? formOf(json) : json
}

function deliveryHeaders(told: Told, json: string, secret: string): Record<string, string> {
  const mac = (algorithm: 'sha1' | 'sha256'): string =>
    secret === '' ? '' : createHmac(algorithm, secret).update(json).digest('hex')
  const sha256 = mac('sha256')
  const headers: Record<string, string> = {}
  for (const family of [...families, 'GitHub']) {
    headers[`x-${family.toLowerCase()}-delivery`] = told.uuid
    headers[`x-${family.toLowerCase()}-event`] = told.event
    headers[`x-${family.toLowerCase()}-event-type`] = told.event_type
  }
  for (const family of families) headers[`x-${family.toLowerCase()}-signature`] = sha256
  headers['x-hub-signature'] = `sha1=${mac('sha1')}`
  headers['x-hub-signature-256'] = `sha256=${sha256}`
  return headers
}

/** Matrix has messages put under a name of the sender's choice, and takes each name once. */
function withTransaction(text: string, body: string): string {
  const url = new URL(text)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${createHash('sha1').update(body).digest('hex')}`
  return url.href
}

function userOf(text: string): string[] {
  const url = URL.parse(text)
  return url ? [url.password, decodeURIComponentOr(url.password)] : []
}

/** Shorter parts of a path are words that a receiver may well say. */
const minPathSecret = 16

/** Parts of an address that may be a secret: long parts of the path, and members of the query by their names. */
function partSecretsOf(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  return [
    ...url.pathname.split('/').filter((part) => part.length >= minPathSecret),
    ...[...url.searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
  ]
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not escaped well: the client refuses such an address itself.
    return text
  }
}

/** The request as the client takes it. */
export const outgoingOf = ({ method, headers, body }: HookRequest, signal: AbortSignal): OutgoingRequest => ({
  method,
  headers,
  body,
  maxRedirects: 10,
  whenTooLarge: 'cut',
  signal,
})
