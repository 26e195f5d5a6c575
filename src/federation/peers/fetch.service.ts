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

/** Documents of one server that are asked for within a minute, and those that one client causes to be asked for. */
const maxLookUps = 120
const maxLookUpsOfClient = 300

interface Asking {
  /** Whose requests cause the question: what one client may cause is limited. */
  readonly share?: string | undefined
  /** Redirects that are followed, each checked like the first address. None for actors and keys. */
  readonly maxRedirects?: number
}

/**
 * Asks another server for a document, with a signature of the instance. Throws PeerProblem for whatever is no JSON object with
 * status 200, and TooManyRequests.
 */
export async function fetchDocument(services: Services, url: string, asking: Asking = {}): Promise<Document> {
  const address = parseAddress(url)
  if (!address || address.hash !== '') throw new PeerProblem('it is no address', false)
  if (!isServerAllowed(services.config, address.hostname)) throw new PeerProblem('its server is blocked here', false)
  const limits = peerLimits.of(services)
  const recent = limits.recentFailure(url)
  if (recent !== undefined) throw new PeerProblem(`${recent} (a moment ago)`, true)
  limits.count('look-ups', address.host, maxLookUps)
  if (asking.share !== undefined) limits.count('look-ups', asking.share, maxLookUpsOfClient)
  try {
    return await askFor(services, url, asking.maxRedirects ?? 0)
  } catch (error) {
    if (error instanceof PeerProblem) limits.noteFailure(url, error)
    throw error
  }
}

async function askFor(services: Services, url: string, maxRedirects: number): Promise<Document> {
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

/** Asks for an actor. Throws PeerProblem, also when what comes is none. */
export async function fetchActor(
  services: Services,
  url: string,
  asking: Asking & { readonly keyId?: string | undefined } = {},
): Promise<RemoteActor> {
  const actor = readActor(await fetchDocument(services, url, asking), url, asking.keyId)
  if (typeof actor === 'string') throw new PeerProblem(`the actor is not usable: ${actor}`, false)
  return actor
}
