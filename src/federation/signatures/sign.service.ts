import type { Services } from '../../access/context.ts'
import type { FederatedServerRow } from '../../db/tables/federation.ts'
import { signAs } from '../actor-key.service.ts'
import type { LocalActor } from '../actor-key.store.ts'
import { instanceUrl, keyIdOf, personUrl } from '../address.rules.ts'
import { cavageHeader, cavageText, type SignedRequest } from './cavage.rules.ts'
import { contentDigestOf, digestOf, type DigestName } from './digest.rules.ts'
import { ownLabel, signatureBase, signatureParams } from './message-signature.rules.ts'

/** Returns the digest of a setting; SHA-256 for an unknown name. */
const digestName = (setting: string): DigestName => (setting.toLowerCase() === 'sha-512' ? 'sha-512' : 'sha-256')

export interface UnsignedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body?: Buffer
  readonly sender: LocalActor
  readonly form: FederatedServerRow['signature_form']
}

/** Returns the headers that authenticate a request to another server: date, digest and signature. */
export async function signedHeaders(services: Services, unsigned: UnsignedRequest): Promise<Record<string, string>> {
  const { config, clock } = services
  const { method, body, sender } = unsigned
  const url = new URL(unsigned.url)
  const keyId = keyIdOf(sender === 'instance' ? instanceUrl(config) : personUrl(config, sender))
  const digest = digestName(config.federation.digestAlgorithm)
  const headers: Record<string, string> = { date: new Date(clock.nowMs()).toUTCString() }
  const request: SignedRequest = {
    method,
    target: `${url.pathname}${url.search}`,
    origin: url.origin,
    host: url.host,
    header: (name) => headers[name],
  }
  if (unsigned.form === 'rfc9421') {
    if (body) headers['content-digest'] = contentDigestOf(body, digest)
    const components = ['@method', '@target-uri', ...(body ? ['content-digest'] : [])]
    const params = signatureParams(components, keyId, Math.floor(clock.nowMs() / 1000))
    const signature = await signAs(services, sender, signatureBase(request, components, params) as string)
    headers['signature-input'] = `${ownLabel}=${params}`
    headers['signature'] = `${ownLabel}=:${signature.toString('base64')}:`
    return headers
  }
  if (body) headers['digest'] = digestOf(body, digest)
  const { getHeaders, postHeaders } = config.federation
  const names = (method === 'GET' ? getHeaders : postHeaders).map((name) => name.toLowerCase())
  const signed = { headers: names, created: undefined, expires: undefined }
  const text = cavageText(request, signed)
  if (text === undefined) {
    throw new Error(`[federation].${method}_HEADERS names a header that requests do not carry: ${names.join()}`)
  }
  headers['signature'] = cavageHeader(keyId, names, await signAs(services, sender, text))
  return headers
}
