import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Config } from '../config/load-config.ts'
import { recordAct } from '../audit/audit.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { PasskeyRow, UserRow } from '../db/tables/accounts.ts'
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

// Passkeys (WebAuthn, level 3). A browser signs a challenge of ours with a key that it made for this site alone and that
// leaves the device with its owner's keychain at most. The challenge is signed by us and not kept until it is answered, so
// that strangers who ask for one leave nothing here; each is answered once.

const purpose = 'passkey'
const challengeSeconds = 600

/** Most passkeys of one account. */
const maxPasskeys = 20
const maxNameLength = 100

/** The site as browsers tie passkeys to it: they are made and used at the address of `ROOT_URL` alone. */
function siteOf({ server }: Pick<Config, 'server'>): { readonly id: string; readonly origin: string } {
  const { hostname, origin } = new URL(server.rootUrl)
  return { id: hostname, origin }
}

/** Whether the site has a name that passkeys can be tied to; an address in numbers is none. */
export const canUsePasskeys = (config: Pick<Config, 'server'>): boolean => {
  const { id } = siteOf(config)
  return isIP(id) === 0 && !id.startsWith('[')
}

/** What a challenge is good for: to sign in, to complete somebody's sign-in, or to add a passkey of a name. */
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

/** The bytes of a challenge as browsers repeat them. */
const asBrowsersSay = (challenge: string): string => Buffer.from(challenge).toString('base64url')

/** What the page's script asks the browser for. */
export interface PasskeyRequest {
  readonly challenge: string
  readonly rpId: string
  /** Credentials that may answer; none: whichever the person chooses. */
  readonly allow: readonly string[]
  readonly verification: 'required' | 'preferred'
}

/** Asks for a passkey of whoever is at the browser. It verifies the person as well, so it is both factors in one. */
export const askForSignIn = (services: AuthServices): PasskeyRequest => ({
  challenge: newChallenge(services, { kind: 'sign-in' }),
  rpId: siteOf(services.config).id,
  allow: [],
  verification: 'required',
})

/** Asks for a passkey of somebody who has shown the password; undefined for who has none. */
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

/** What a browser answered: a JSON text of its own making. */
export interface PasskeyAnswer {
  readonly challenge: string
  readonly response: string
}

/** Longest answer that is looked at, in characters. */
const maxResponseLength = 16_384

function parseResponse(text: string): { readonly id: string } | undefined {
  if (text.length > maxResponseLength) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null
    return isObject && 'id' in parsed && typeof parsed.id === 'string' ? { ...parsed, id: parsed.id } : undefined
  } catch {
    // Not what a script of ours sends.
    return undefined
  }
}

/** What a challenge that we signed is good for; undefined for any other text, and after its time. */
function openChallenge({ secrets, clock }: AuthServices, challenge: string): Use | undefined {
  const said = secrets.verify(purpose, challenge, nowUnix(clock))
  const userId = said?.['user'] as UserId
  const kind = said?.['kind']
  if (kind === 'sign-in') return { kind }
  if (kind === 'second') return { kind, userId }
  return kind === 'add' ? { kind, userId, name: String(said?.['name']) } : undefined
}

/**
 * The account whose passkey answered a challenge.
 * @param second the account that is signing in, where the passkey comes after the password
 * @returns undefined for an answer that is wrong, late, of another account, or was given before
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

/** The counter of an answer that the passkey gave; undefined when it did not. */
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
    // The library throws for what is malformed or does not fit; which of it, is nobody's matter.
    return undefined
  }
}

/** What the page's script asks the browser to make. */
export interface NewPasskeyRequest {
  readonly challenge: string
  readonly rpId: string
  readonly rpName: string
  /** Says nothing of the person; browsers keep one passkey of a site for each. */
  readonly userHandle: string
  readonly userName: string
  /** Those that there are: no device needs a second one. */
  readonly exclude: readonly string[]
}

/** Asks for another passkey of an account. `Invalid` for a name that is missing or too long, and when there are enough. */
export async function askForNew(services: AuthServices, user: UserRow, name: string): Promise<NewPasskeyRequest> {
  if (name === '' || name.length > maxNameLength) {
    throw new Invalid(`a passkey has a name of 1 to ${maxNameLength} characters`, 'passkey_name_invalid')
  }
  const passkeys = await listPasskeys(services.db, user.id)
  if (passkeys.length >= maxPasskeys) throw new Invalid(`there are at most ${maxPasskeys} passkeys`, 'passkey_too_many')
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
 * Adds the passkey that a browser made.
 * @returns the scratch code, which is shown once, when it is the account's first second factor
 * @throws Invalid for an answer that does not fit, Conflict when the passkey is there already
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
  if (!own || !info) throw new Invalid('the answer of the device does not fit; try again', 'passkey_invalid')
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

/** What the audit log says that an act on a passkey is about: whose it is, and what they call it. */
const passkeyOf = (userId: UserId, name?: string) =>
  ({ kind: 'second factor', id: userId, ...(name === undefined ? {} : { name }) }) as const

const inUse = () => new Conflict('this passkey is there already', 'passkey_used')

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
    // As above.
    return undefined
  }
}

export const passkeysOf = ({ db }: AuthServices, userId: UserId): Promise<PasskeyRow[]> => listPasskeys(db, userId)

/** Removes a passkey of an account; with the last one ends the second factor, where there are no codes. @throws NotFound */
export async function removePasskey(services: AuthServices, userId: UserId, id: PasskeyId): Promise<void> {
  const removed = await transaction(services.db, async (tx) => {
    if (!(await deletePasskey(tx, userId, id))) return false
    await removeWithPasskey(tx, userId, (await listPasskeys(tx, userId)).length)
    await recordAct(tx, { action: 'passkey.removed', doerId: userId, about: passkeyOf(userId) })
    await publish(tx, 'credential.changed', { userId, what: 'secondFactorRemoved', name: '' })
    return true
  })
  if (!removed) throw new NotFound('there is no such passkey', 'passkey_not_found')
}

/** Forgets answered challenges that would be too late now anyway. */
export async function forgetAnsweredChallenges({ db, clock }: AuthServices): Promise<void> {
  await transaction(db, (tx) => deleteChallengesBefore(tx, nowUnix(clock)))
}
