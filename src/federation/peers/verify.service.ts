import { hash } from 'node:crypto'
import { personOf } from '../../admission/shares.ts'
import type { Ctx, Services } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { FederatedAccountRow, FederatedServerRow } from '../../db/tables/federation.ts'
import type { Call } from '../../http/operation.ts'
import { BadRequest, Forbidden } from '../../lib/errors.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { parseAddress, sameOrigin } from '../address.rules.ts'
import { idOf, isHarmlessContext, textOf } from '../document.rules.ts'
import { isServerAllowed } from '../federation-client.ts'
import { peerLimits } from '../peer-limits.ts'
import type { SignedRequest } from '../signatures/cavage.rules.ts'
import { isKnownAlgorithm, settingName, parsePublicKey, isSignatureValid } from '../signatures/key.rules.ts'
import { maxSkewSeconds, readSignature, type RequestSignature } from '../signatures/request-signature.rules.ts'
import { saveAccount } from './account.service.ts'
import { findAccountByKeyId, updateFederatedAccount } from './account.store.ts'
import { isPerson, isServerActor, keyIn, readActor, type RemoteActor } from './actor.rules.ts'
import { fetchActor, fetchDocument } from './fetch.service.ts'
import { PeerProblem } from './peer-problem.ts'
import { insertSeenSignature } from './seen-signature.store.ts'
import { getServer } from './server.service.ts'
import { findServer, findServerByKeyId, updateServer } from './server.store.ts'

/** The signer of a request. */
export interface Signer {
  /** Id of the actor; of a server, the address of its key without the fragment. */
  readonly actorUrl: string
  readonly server: FederatedServerRow
  /** Undefined for the actor of a server. */
  readonly account: FederatedAccountRow | undefined
  /** Hash of the signature, which identifies the request. */
  readonly digest: string
  readonly madeUnix: Unix
}

/** Shortest time between two fetches of a known key after a signature that does not match, in seconds. */
const refreshSeconds = 300

/**
 * Verifies the signature of a request and returns the signer (contract, federation: signatures). `BadRequest` for an unreadable
 * signature or a key that cannot be fetched, `Forbidden` for one that does not match, is too old or comes from a blocked
 * server. A key is stored after the first valid signature and fetched again after an invalid one.
 *
 * @param body undefined for a request without one
 */
export async function verifySignature(ctx: Ctx, call: Call, body: Buffer | undefined): Promise<Signer> {
  const signature = readSignature(signedRequest(ctx, call), body, nowUnix(ctx.clock))
  const address = parseAddress(signature.keyId)
  if (!address) throw new BadRequest('the id of the key must be an address', 'key_unknown')
  if (!isServerAllowed(ctx.config, address.hostname)) {
    throw new Forbidden('this instance does not deal with the server', 'server_blocked')
  }
  checkAlgorithm(ctx, signature)
  const limits = peerLimits.of(ctx)
  const known = await findKey(ctx, signature.keyId)
  const found =
    known && (await matches(signature, known.pem)) ? known : await fetchKey(ctx, call, signature, known ?? undefined)
  limits.count('requests', found.server.origin, ctx.config.federation.maxRequestsPerServer)
  // A server that signs in this form also understands it.
  if (signature.form === 'rfc9421' && found.server.signature_form !== 'rfc9421') {
    await transaction(ctx.db, (tx) => updateServer(tx, found.server.id, { signature_form: 'rfc9421' }))
  }
  return {
    actorUrl: found.account?.actor_url ?? found.actorUrl,
    server: found.server,
    account: found.account,
    digest: hash('sha256', `${signature.keyId}\n${signature.signature.toString('base64')}`, 'base64url'),
    madeUnix: signature.madeUnix,
  }
}

/** Returns the request as its sender made it: to the public address of the instance, before any proxy. */
function signedRequest({ config }: Ctx, call: Call): SignedRequest {
  const root = new URL(config.server.rootUrl)
  return {
    method: call.method,
    target: `${config.server.subPath}${call.url}`,
    origin: root.origin,
    host: root.host,
    header(name) {
      const value = call.headers[name]
      return typeof value === 'string' ? value : value?.join(', ')
    },
  }
}

function checkAlgorithm({ config }: Ctx, { algorithm }: RequestSignature): void {
  const listed = isKnownAlgorithm(algorithm) ? settingName(algorithm) : algorithm
  if (listed !== undefined && !config.federation.signatureAlgorithms.includes(listed)) {
    throw new BadRequest(
      'the algorithm of the signature is not among [federation].SIGNATURE_ALGORITHMS',
      'algorithm_unknown',
    )
  }
}

interface KnownKey {
  readonly pem: string
  readonly actorUrl: string
  readonly server: FederatedServerRow
  readonly account: FederatedAccountRow | undefined
  readonly fetchedUnix: Unix
}

async function findKey({ db }: Services, keyId: string): Promise<KnownKey | undefined> {
  const account = await findAccountByKeyId(db, keyId)
  if (account) {
    const server = await findServer(db, account.server_id)
    if (!server) throw new Error('an account of a server that is not there')
    const { public_key: pem, actor_url: actorUrl, fetched_unix: fetchedUnix } = account
    return { pem, actorUrl, server, account, fetchedUnix }
  }
  const server = await findServerByKeyId(db, keyId)
  if (!server) return undefined
  const { public_key: pem, key_fetched_unix: fetchedUnix } = server
  return { pem, actorUrl: withoutFragment(keyId), server, account: undefined, fetchedUnix }
}

async function matches({ text, signature, algorithm }: RequestSignature, pem: string): Promise<boolean> {
  const key = parsePublicKey(pem)
  return key !== undefined && isSignatureValid(text, signature, key, algorithm)
}

const mismatch = () => new Forbidden('the signature does not match', 'signature_wrong')

/** Fetches the key, and stores it when the signature matches. */
async function fetchKey(
  ctx: Ctx,
  call: Call,
  signature: RequestSignature,
  known: KnownKey | undefined,
): Promise<KnownKey> {
  const now = nowUnix(ctx.clock)
  if (known && now - known.fetchedUnix < refreshSeconds) throw mismatch()
  // Before the fetch, so that concurrent requests with the same key are refused.
  if (known) await noteRefresh(ctx, known, now)
  try {
    const actor = await fetchKeyOwner(ctx, signature.keyId, String(personOf(call.claim)))
    const { key } = actor
    if (!key || !parsePublicKey(key.pem)) {
      throw new PeerProblem('the key is missing or unsuitable for signatures', false)
    }
    if (!(await matches(signature, key.pem))) throw mismatch()
    return { ...(await storeKey(ctx, actor)), pem: key.pem, actorUrl: actor.id, fetchedUnix: now }
  } catch (error) {
    if (!(error instanceof PeerProblem)) throw error
    if (known) throw mismatch()
    throw new BadRequest(`cannot fetch the key of the signature: ${error.message}`, 'key_unknown')
  }
}

const noteRefresh = ({ db }: Services, { account, server }: KnownKey, now: Unix): Promise<void> =>
  transaction(db, (tx) =>
    account
      ? updateFederatedAccount(tx, account.user_id, { fetched_unix: now })
      : updateServer(tx, server.id, { key_fetched_unix: now }),
  )

const withoutFragment = (url: string): string => url.split('#', 1)[0] as string

/**
 * Returns the actor that owns a key. The key is part of the actor's document, or a document of its own that names the owner;
 * then the owner must confirm it. Both must be on the same server. Throws `PeerProblem`.
 */
async function fetchKeyOwner(services: Services, keyId: string, share: string): Promise<RemoteActor> {
  const url = withoutFragment(keyId)
  const document = await fetchDocument(services, url, { share })
  if (!isHarmlessContext(document['@context'])) throw new PeerProblem('its context gives terms another meaning', false)
  const isBareKey = textOf(document, 'publicKeyPem', 4096) !== undefined && document['id'] === keyId
  const owner = isBareKey ? idOf(document['owner']) : keyIn(document, keyId)?.owner
  if (owner === undefined) throw new PeerProblem('the document has no such key', false)
  if (!sameOrigin(owner, keyId)) throw new PeerProblem('the key belongs to an actor on another server', false)
  const actor = owner === url ? readActor(document, url, keyId) : await fetchActor(services, owner, { share, keyId })
  if (typeof actor === 'string') throw new PeerProblem(`the actor is not usable: ${actor}`, false)
  if (actor.key?.id !== keyId) throw new PeerProblem('the actor does not say that the key is its own', false)
  return actor
}

async function storeKey(
  services: Services,
  actor: RemoteActor,
): Promise<{ readonly server: FederatedServerRow; readonly account: FederatedAccountRow | undefined }> {
  const server = await getServer(services, actor.id)
  if (isPerson(actor)) return { server, account: await saveAccount(services, actor) }
  if (!isServerActor(actor)) throw new PeerProblem(`actors of type ${actor.type} cannot sign requests`, false)
  await transaction(services.db, (tx) =>
    updateServer(tx, server.id, {
      key_id: actor.key?.id ?? null,
      public_key: actor.key?.pem ?? '',
      key_fetched_unix: nowUnix(services.clock),
    }),
  )
  return { server, account: undefined }
}

/** Stores the signature of a request in the transaction of its change. Throws `Forbidden` when it was used before. */
export async function refuseReplay(tx: Tx, { digest, madeUnix }: Signer, now: Unix): Promise<void> {
  // After that time the signature is refused as too old.
  const expires = madeUnix + maxSkewSeconds + 1
  if (!(await insertSeenSignature(tx, digest, expires, now))) {
    throw new Forbidden('the signature of the request was used before', 'signature_replayed')
  }
}
