import type { JWK } from 'jose'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { transaction } from '../../db/database.ts'
import type { OAuthKeyRow } from '../../db/tables/oauth.ts'
import { nowUnix } from '../../lib/time.ts'
import { insertKey, listKeys } from './key.store.ts'

/** What private keys are sealed for. */
export const keyPurpose = 'oauth-key'

/** How long a key signs, in seconds; what it signed can be checked for a while longer. */
const keyLifetimeSeconds = 90 * 86_400
/** Keys that are shown: the one that signs, and those before it. */
const shownKeys = 3

/** The library is loaded when somebody signs in to an application, which on many instances nobody does. */
const loadJose = () => import('jose')

/** One making of a key at a time: a storm of first requests makes one. */
class KeyMaker {
  #making: Promise<void> | undefined
  make(run: () => Promise<void>): Promise<void> {
    this.#making ??= run().finally(() => (this.#making = undefined))
    return this.#making
  }
}

export const keyMaker = ownService('the maker of OAuth2 keys', { open: () => new KeyMaker() })

/**
 * The algorithm of signatures. One with a shared secret is no use here: whoever could check a token could also make one,
 * so RS256 stands for the `HS…` of the family's settings.
 */
const algorithmOf = ({ config }: Pick<Services, 'config'>): string => {
  const { jwtSigningAlgorithm } = config.oauth2
  return jwtSigningAlgorithm.startsWith('HS') ? 'RS256' : jwtSigningAlgorithm
}

/** The algorithm that identity tokens are signed by. */
export const signingAlgorithm = algorithmOf

/** Keys that count, from the one that signs on. Makes one when there is none yet, or the last is old or of another kind. */
async function currentKeys(services: Services): Promise<readonly OAuthKeyRow[]> {
  const isCurrent = (key: OAuthKeyRow | undefined): boolean =>
    key !== undefined &&
    key.algorithm === algorithmOf(services) &&
    key.created_unix + keyLifetimeSeconds > nowUnix(services.clock)
  const keys = await listKeys(services.db, shownKeys)
  if (isCurrent(keys[0])) return keys
  await keyMaker.of(services).make(() => makeKey(services, (keys[0]?.number ?? 0) + 1))
  return listKeys(services.db, shownKeys)
}

async function makeKey(services: Services, number: number): Promise<void> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await loadJose()
  const algorithm = algorithmOf(services)
  const pair = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm === 'EdDSA' ? { crv: 'Ed25519' } : {}),
  })
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
  const kid = await calculateJwkThumbprint(publicJwk)
  await transaction(services.db, (tx) =>
    insertKey(tx, {
      number,
      kid,
      algorithm,
      public_jwk: JSON.stringify({ ...publicJwk, kid, alg: algorithm, use: 'sig' }),
      sealed: services.secrets.seal(keyPurpose, JSON.stringify(privateJwk)),
      created_unix: nowUnix(services.clock),
    }),
  )
}

/** The public keys (RFC 7517), the one that signs first. */
export const publicKeys = async (services: Services): Promise<readonly JWK[]> =>
  (await currentKeys(services)).map((key) => JSON.parse(key.public_jwk) as JWK)

/** A signed token with these claims; times are seconds. */
export async function signClaims(services: Services, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { SignJWT, importJWK } = await loadJose()
  const key = (await currentKeys(services))[0] as OAuthKeyRow
  const privateKey = await importJWK(JSON.parse(services.secrets.open(keyPurpose, key.sealed)) as JWK, key.algorithm)
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'JWT' })
    .sign(privateKey)
}

/** Longest identity token that is looked at, in characters. */
const maxTokenLength = 4096

/**
 * Whom an identity token of ours names, also one that has expired; undefined for what none of the keys that are shown signed for
 * the application.
 */
export async function subjectOfOwnToken(
  services: Services,
  token: string,
  clientId: string,
): Promise<string | undefined> {
  if (token.length > maxTokenLength) return undefined
  const { compactVerify, createLocalJWKSet, errors } = await loadJose()
  const keys = createLocalJWKSet({ keys: [...(await publicKeys(services))] })
  try {
    const { payload } = await compactVerify(token, keys)
    const { sub, aud } = JSON.parse(Buffer.from(payload).toString('utf8')) as { sub?: unknown; aud?: unknown }
    return typeof sub === 'string' && [aud].flat().includes(clientId) ? sub : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
