import type { Services } from '../../access/context.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { activityType, parseAddress } from '../address.rules.ts'
import { isDocument, parseJson, type Document } from '../document.rules.ts'
import { federationClient, isServerAllowed } from '../federation-client.ts'
import { peerLimits } from '../peer-limits.ts'
import { signedHeaders } from '../signatures/sign.service.ts'
import { TooLarge } from '../../lib/errors.ts'
import { readActor, type RemoteActor } from './actor.rules.ts'
import { PeerProblem } from './peer-problem.ts'

const accept = `application/json, ${activityType}`

const isJson = (contentType: unknown): boolean =>
  typeof contentType === 'string' && /^(application|text)\/([\w.-]+\+)?json\b/i.test(contentType)

/** Documents fetched within a minute from one server, and on behalf of one client. */
const maxFetchesPerServer = 120
const maxFetchesPerClient = 300

interface FetchOptions {
  /** The client whose limit the fetch counts against. */
  readonly share?: string | undefined
  /** Most redirects; each target is checked like the first address. 0 for actors and keys. */
  readonly maxRedirects?: number
}

/**
 * Fetches a document from another server, signed by the instance. Throws `PeerProblem` for anything but a JSON object with
 * status 200, and `TooManyRequests`.
 */
export async function fetchDocument(services: Services, url: string, options: FetchOptions = {}): Promise<Document> {
  const address = parseAddress(url)
  if (!address || address.hash !== '') throw new PeerProblem('the address is invalid', false)
  if (!isServerAllowed(services.config, address.hostname)) {
    throw new PeerProblem('this instance blocks its server', false)
  }
  const limits = peerLimits.of(services)
  const recent = limits.recentFailure(url)
  if (recent !== undefined) throw new PeerProblem(`${recent} (a moment ago)`, true)
  limits.count('look-ups', address.host, maxFetchesPerServer)
  if (options.share !== undefined) limits.count('look-ups', options.share, maxFetchesPerClient)
  try {
    return await requestDocument(services, url, options.maxRedirects ?? 0)
  } catch (error) {
    if (error instanceof PeerProblem) limits.noteFailure(url, error)
    throw error
  }
}

async function requestDocument(services: Services, url: string, maxRedirects: number): Promise<Document> {
  const headers = await signedHeaders(services, { method: 'GET', url, sender: 'instance', form: 'cavage' })
  const reply = await federationClient
    .of(services)
    .request(url, { headers: { ...headers, accept }, maxRedirects })
    .catch((error: unknown) => {
      if (!(error instanceof OutgoingError)) throw error
      throw new PeerProblem(error.message, error.reason !== 'refused_address', { cause: error })
    })
  if (reply.status !== 200) throw new PeerProblem(`its server answered ${reply.status}`, reply.status >= 500)
  if (!isJson(reply.headers['content-type'])) throw new PeerProblem('its server did not answer with JSON', false)
  const document = readDocument(reply.body)
  if (!document) throw new PeerProblem('its server did not answer with a JSON object', false)
  return document
}

function readDocument(body: Buffer): Document | undefined {
  try {
    const { value } = parseJson(body) ?? {}
    return isDocument(value) ? value : undefined
  } catch (error) {
    if (error instanceof TooLarge) throw new PeerProblem(error.message, false, { cause: error })
    throw error
  }
}

/** Fetches an actor. Throws `PeerProblem`, also for a document that is not a valid actor. */
export async function fetchActor(
  services: Services,
  url: string,
  options: FetchOptions & { readonly keyId?: string | undefined } = {},
): Promise<RemoteActor> {
  const actor = readActor(await fetchDocument(services, url, options), url, options.keyId)
  if (typeof actor === 'string') throw new PeerProblem(`the actor is not usable: ${actor}`, false)
  return actor
}
