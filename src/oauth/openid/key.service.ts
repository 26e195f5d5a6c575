import type { JWK } from 'jose'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { transaction } from '../../db/database.ts'
import type { OAuthKeyRow } from '../../db/tables/oauth.ts'
import { nowUnix } from '../../lib/time.ts'
import { insertKey, listKeys } from './key.store.ts'

/** The purpose for which private keys are sealed. */
export const keyPurpose = 'oauth-key'

/** The time for which a key signs, in seconds. */
const keyLifetimeSeconds = 90 * 86_400
/** The number of published keys: the signing key and its predecessors. */
const publishedKeys = 3

/** The library is loaded with the first use: many instances never sign an identity token. */
const loadJose = () => import('jose')

/** Generates one key at a time, because the generation is expensive and first requests may be concurrent. */
class KeyMaker {
  #making: Promise<void> | undefined
  make(run: () => Promise<void>): Promise<void> {
    this.#making ??= run().finally(() => (this.#making = undefined))
    return this.#making
  }
}

export const keyMaker = ownService('the maker of OAuth2 keys', { open: () => new KeyMaker() })

/**
 * Returns the algorithm of signatures. RS256 replaces the `HS…` algorithms of the setting: anyone who can verify such a
 * signature could also forge one.
 */
export const signingAlgorithm = ({ config }: Pick<Services, 'config'>): string => {
  const { jwtSigningAlgorithm } = config.oauth2
  return jwtSigningAlgorithm.startsWith('HS') ? 'RS256' : jwtSigningAlgorithm
}

/** Returns the published keys, the signing key first. Generates a key when none exists, or the newest is old or of another algorithm. */
async function currentKeys(services: Services): Promise<readonly OAuthKeyRow[]> {
  const isCurrent = (key: OAuthKeyRow | undefined): boolean =>
    key !== undefined &&
    key.algorithm === signingAlgorithm(services) &&
    key.created_unix + keyLifetimeSeconds > nowUnix(services.clock)
  const keys = await listKeys(services.db, publishedKeys)
  if (isCurrent(keys[0])) return keys
  await keyMaker.of(services).make(() => makeKey(services, (keys[0]?.number ?? 0) + 1))
  return listKeys(services.db, publishedKeys)
}

async function makeKey(services: Services, number: number): Promise<void> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await loadJose()
  const algorithm = signingAlgorithm(services)
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

/** Returns the public keys (RFC 7517), the signing key first. */
export const publicKeys = async (services: Services): Promise<readonly JWK[]> =>
  (await currentKeys(services)).map((key) => JSON.parse(key.public_jwk) as JWK)

/** Returns a signed token with the claims. */
export async function signClaims(services: Services, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { SignJWT, importJWK } = await loadJose()
  const key = (await currentKeys(services))[0] as OAuthKeyRow
  const privateKey = await importJWK(JSON.parse(services.secrets.open(keyPurpose, key.sealed)) as JWK, key.algorithm)
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'JWT' })
    .sign(privateKey)
}

/** Longest identity token, in characters. */
const maxTokenLength = 4096

/** Returns the subject of an identity token that a published key signed for the application, also an expired one. */
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
