import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Config } from '../config/load-config.ts'
import { recordAct } from '../audit/audit.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { PasskeyRow } from '../db/tables/sign-in.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { Conflict, Invalid, NotFound } from '../lib/errors.ts'
import type { PasskeyId, UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { hashToken, newSecret } from '../secrets/tokens.ts'
import { findUserById } from '../users/user.store.ts'
import type { AuthServices } from './auth-services.ts'
import {
  deleteChallengesBefore,
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  updatePasskeyUsed,
} from './passkey.store.ts'
import { addWithPasskey, removeWithPasskey } from './two-factor.service.ts'

// Passkeys (WebAuthn, level 3). The browser signs a challenge of the server with a key that exists for this site only.
// The server signs the challenge and stores it only once it is answered, so requests of strangers leave no rows. Each
// challenge is answered once.

const purpose = 'passkey'
const challengeSeconds = 600

/** Largest number of passkeys of an account. */
const maxPasskeys = 20
const maxNameLength = 100

/** Returns origin and relying party id. Passkeys are valid at the address of `ROOT_URL` only. */
function siteOf({ server }: Pick<Config, 'server'>): { readonly id: string; readonly origin: string } {
  const { hostname, origin } = new URL(server.rootUrl)
  return { id: hostname, origin }
}

/** Returns whether the site has a host name that passkeys can be bound to; an IP address cannot. */
export const canUsePasskeys = (config: Pick<Config, 'server'>): boolean => {
  const { id } = siteOf(config)
  return isIP(id) === 0 && !id.startsWith('[')
}

/** Purpose of a challenge: a sign-in, the second factor of a sign-in, or a new passkey. */
type Use =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'second'; readonly userId: UserId }
  | { readonly kind: 'add'; readonly userId: UserId; readonly name: string }

const payloadOf = (use: Use) => ({
  kind: use.kind,
  user: use.kind === 'sign-in' ? 0 : use.userId,
  name: use.kind === 'add' ? use.name : '',
})

function newChallenge({ secrets, clock }: AuthServices, use: Use): string {
  return secrets.sign(purpose, { ...payloadOf(use), nonce: newSecret(16) }, nowUnix(clock) + challengeSeconds)
}

/** Returns the challenge in the encoding that browsers return. */
const asBrowsersSay = (challenge: string): string => Buffer.from(challenge).toString('base64url')

/** Parameters for the page's script to request a passkey. */
export interface PasskeyRequest {
  readonly challenge: string
  readonly rpId: string
  /** Ids of acceptable credentials; an empty list accepts any. */
  readonly allow: readonly string[]
  readonly verification: 'required' | 'preferred'
}

/** Returns a request for a passkey that signs in alone. It requires user verification, so it is both factors. */
export const askForSignIn = (services: AuthServices): PasskeyRequest => ({
  challenge: newChallenge(services, { kind: 'sign-in' }),
  rpId: siteOf(services.config).id,
  allow: [],
  verification: 'required',
})

/** Returns a request for a passkey as the second factor; undefined when the account has none. */
export async function askForSecond(services: AuthServices, userId: UserId): Promise<PasskeyRequest | undefined> {
  const passkeys = await listPasskeys(services.db, userId)
  if (passkeys.length === 0 || !canUsePasskeys(services.config)) return undefined
  return {
    challenge: newChallenge(services, { kind: 'second', userId }),
    rpId: siteOf(services.config).id,
    allow: passkeys.map((each) => each.credential_id),
    verification: 'preferred',
  }
}

/** The browser's answer as JSON text. */
export interface PasskeyAnswer {
  readonly challenge: string
  readonly response: string
}

/** Longest accepted answer, in characters. */
const maxResponseLength = 16_384

function parseResponse(text: string): { readonly id: string } | undefined {
  if (text.length > maxResponseLength) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null
    return isObject && 'id' in parsed && typeof parsed.id === 'string' ? { ...parsed, id: parsed.id } : undefined
  } catch {
    return undefined
  }
}

/** Returns the purpose of a challenge that this server signed; undefined for any other text and for an expired one. */
function openChallenge({ secrets, clock }: AuthServices, challenge: string): Use | undefined {
  const claims = secrets.verify(purpose, challenge, nowUnix(clock))
  const userId = claims?.['user'] as UserId
  const kind = claims?.['kind']
  if (kind === 'sign-in') return { kind }
  if (kind === 'second') return { kind, userId }
  return kind === 'add' ? { kind, userId, name: String(claims?.['name']) } : undefined
}

/**
 * Returns the account whose passkey answered a challenge.
 * @param second the account that is signing in, when the passkey is the second factor
 * @returns undefined for an answer that is wrong, late, repeated, or of another account
 */
export async function accountOfPasskey(
  services: AuthServices,
  answer: PasskeyAnswer,
  second?: UserId,
): Promise<UserRow | undefined> {
  const use = openChallenge(services, answer.challenge)
  const response = parseResponse(answer.response)
  const isMeant = second === undefined ? use?.kind === 'sign-in' : use?.kind === 'second' && use.userId === second
  if (!isMeant || !response) return undefined
  const row = await findPasskey(services.db, response.id)
  if (!row || (second !== undefined && row.user_id !== second)) return undefined
  const counter = await verifiedCounter(services, row, answer, response, second === undefined)
  if (counter === undefined) return undefined
  const now = nowUnix(services.clock)
  const isFirst = await transaction(
    services.db,
    async (tx) =>
      (await insertChallenge(tx, hashToken(answer.challenge), now + challengeSeconds)) &&
      (await updatePasskeyUsed(tx, row, counter, now)),
  )
  return isFirst ? findUserById(services.db, row.user_id) : undefined
}

/** Returns the counter of a valid answer; undefined for an invalid one. */
async function verifiedCounter(
  { config }: AuthServices,
  row: PasskeyRow,
  { challenge }: PasskeyAnswer,
  response: { readonly id: string },
  mustVerifyPerson: boolean,
): Promise<number | undefined> {
  const { id, origin } = siteOf(config)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: asBrowsersSay(challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: row.counter,
      },
      requireUserVerification: mustVerifyPerson,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The library throws for malformed and for wrong answers alike.
    return undefined
  }
}

/** Parameters for the page's script to create a passkey. */
export interface NewPasskeyRequest {
  readonly challenge: string
  readonly rpId: string
  readonly rpName: string
  /** A random id without personal data; browsers keep one passkey per site and handle. */
  readonly userHandle: string
  readonly userName: string
  /** Ids of existing passkeys, so that no device gets a second one. */
  readonly exclude: readonly string[]
}

/**
 * Returns a request for a new passkey. Throws `Invalid` for a missing or too long name, and when the account has the
 * maximum.
 */
export async function askForNew(services: AuthServices, user: UserRow, name: string): Promise<NewPasskeyRequest> {
  if (name === '' || name.length > maxNameLength) {
    throw new Invalid(`a passkey has a name of 1 to ${maxNameLength} characters`, 'passkey_name_invalid')
  }
  const passkeys = await listPasskeys(services.db, user.id)
  if (passkeys.length >= maxPasskeys) {
    throw new Invalid(`an account has at most ${maxPasskeys} passkeys`, 'passkey_too_many')
  }
  return {
    challenge: newChallenge(services, { kind: 'add', userId: user.id, name }),
    rpId: siteOf(services.config).id,
    rpName: services.config.instance.appName,
    userHandle: Buffer.from(hashToken(`passkeys of ${user.id} ${user.created_unix}`), 'hex').toString('base64url'),
    userName: user.name,
    exclude: passkeys.map((each) => each.credential_id),
  }
}

/**
 * Adds the passkey that a browser created.
 * @returns the scratch code to show once, when this is the first second factor of the account
 * @throws Invalid for a wrong answer, Conflict when the passkey exists
 */
export async function addPasskey(
  services: AuthServices,
  user: UserRow,
  answer: PasskeyAnswer,
): Promise<string | undefined> {
  const use = openChallenge(services, answer.challenge)
  const response = parseResponse(answer.response)
  const own = use?.kind === 'add' && use.userId === user.id ? use : undefined
  const info = own && response ? await verifiedNew(services, answer, response) : undefined
  if (!own || !info) throw new Invalid('the answer of the device is invalid; try again', 'passkey_invalid')
  const now = nowUnix(services.clock)
  const { id, publicKey, counter, transports = [] } = info
  try {
    return await transaction(services.db, async (tx) => {
      if (!(await insertChallenge(tx, hashToken(answer.challenge), now + challengeSeconds))) throw inUse()
      await insertPasskey(tx, {
        user_id: user.id,
        credential_id: id,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: transports.join(','),
        name: own.name,
        created_unix: now,
        used_unix: 0,
      })
      await recordAct(tx, { action: 'passkey.added', doerId: user.id, about: passkeyOf(user.id, own.name) })
      await publish(tx, 'credential.changed', { userId: user.id, what: 'passkey', name: own.name })
      return addWithPasskey(tx, user.id, now)
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw inUse()
    throw error
  }
}

/** Returns the object of an audit entry about a passkey. */
const passkeyOf = (userId: UserId, name?: string) =>
  ({ kind: 'second factor', id: userId, ...(name === undefined ? {} : { name }) }) as const

const inUse = () => new Conflict('this passkey exists already', 'passkey_used')

async function verifiedNew({ config }: AuthServices, { challenge }: PasskeyAnswer, response: { readonly id: string }) {
  const { id, origin } = siteOf(config)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: asBrowsersSay(challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    })
    return verified ? registrationInfo.credential : undefined
  } catch {
    // The library throws for malformed and for wrong answers alike.
    return undefined
  }
}

export const passkeysOf = ({ db }: AuthServices, userId: UserId): Promise<PasskeyRow[]> => listPasskeys(db, userId)

/**
 * Removes a passkey of an account. The last one ends the second factor unless the account has codes. @throws NotFound
 */
export async function removePasskey(services: AuthServices, userId: UserId, id: PasskeyId): Promise<void> {
  const removed = await transaction(services.db, async (tx) => {
    if (!(await deletePasskey(tx, userId, id))) return false
    await removeWithPasskey(tx, userId, (await listPasskeys(tx, userId)).length)
    await recordAct(tx, { action: 'passkey.removed', doerId: userId, about: passkeyOf(userId) })
    await publish(tx, 'credential.changed', { userId, what: 'secondFactorRemoved', name: '' })
    return true
  })
  if (!removed) throw new NotFound('the passkey does not exist', 'passkey_not_found')
}

/** Deletes the rows of challenges that have expired. */
export async function forgetAnsweredChallenges({ db, clock }: AuthServices): Promise<void> {
  await transaction(db, (tx) => deleteChallengesBefore(tx, nowUnix(clock)))
}
