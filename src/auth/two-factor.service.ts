import { recordAct } from '../audit/audit.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import { publish } from '../events/hub.ts'
import type { NewTwoFactorRow, TwoFactorRow } from '../db/tables/sign-in.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { Conflict, Invalid, TooManyRequests, Unauthenticated } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { hashToken, newPrefixedToken } from '../secrets/tokens.ts'
import type { AuthServices } from './auth-services.ts'
import { newTotpKey, stepOfCode } from './totp.ts'
import { deletePasskeysOf, listPasskeys } from './passkey.store.ts'
import {
  addCodes,
  countFailure,
  deleteTwoFactor,
  deleteWithoutCodes,
  findTwoFactor,
  insertTwoFactor,
  removeCodes,
  takeScratch,
  takeStep,
  updateScratch,
} from './two-factor.store.ts'

/** Purpose of sealed keys of codes. */
export const twoFactorPurpose = 'two-factor'
const enrolmentPurpose = 'two-factor-enrolment'

/**
 * Wrong codes of one account within the window. An attacker who gets here has the password, and could guess six digits
 * within days.
 */
const maxFailures = 10
const failureWindowSeconds = 600

/** How long a new key waits for confirmation, in seconds. */
const enrolmentSeconds = 1800

/** Returns whether an account has a second factor of any kind. */
export const hasTwoFactor = async ({ db }: AuthServices, userId: UserId): Promise<boolean> =>
  (await findTwoFactor(db, userId)) !== undefined

/** Returns whether an account has codes. */
export const hasCodes = async ({ db }: AuthServices, userId: UserId): Promise<boolean> =>
  ((await findTwoFactor(db, userId))?.sealed ?? '') !== ''

/** Throws TooManyRequests after too many recent wrong codes. */
function checkFailures({ clock }: AuthServices, row: TwoFactorRow): void {
  const leftSeconds = row.failed_unix + failureWindowSeconds - nowUnix(clock)
  if (row.failures >= maxFailures && leftSeconds > 0) {
    throw new TooManyRequests(`too many wrong codes; try again in ${leftSeconds} seconds`, 'two_factor_throttled', {
      retryAfterSeconds: leftSeconds,
    })
  }
}

/** Returns doer and object of an audit entry about the second factor. */
const actOn = (userId: UserId) => ({ doerId: userId, about: { kind: 'second factor', id: userId } }) as const

const failed = (services: AuthServices, userId: UserId) => {
  const now = nowUnix(services.clock)
  return transaction(services.db, async (tx) => {
    await recordAct(tx, { ...actOn(userId), action: 'secondFactor.used', outcome: 'refused' })
    return countFailure(tx, userId, now, now - failureWindowSeconds)
  })
}

/**
 * Returns whether a request with the right password satisfies the second factor: the account has none, or the request
 * has a code, which may be repeated within its time (contract, auth: one-time code). A wrong code counts against the
 * account. With a passkey, passwords alone are refused (contract).
 * @throws TooManyRequests, Unauthenticated (`passkey_enrolled`)
 */
export async function passesSecondFactor(
  services: AuthServices,
  user: UserRow,
  code: string | undefined,
): Promise<boolean> {
  const row = await findTwoFactor(services.db, user.id)
  if (!row) return true
  if ((await listPasskeys(services.db, user.id)).length > 0) {
    throw new Unauthenticated('the account has a passkey: use an access token', 'passkey_enrolled')
  }
  if (code === undefined || code === '') return false
  checkFailures(services, row)
  const key = services.secrets.open(twoFactorPurpose, row.sealed)
  if (stepOfCode(key, code, nowUnix(services.clock)) !== undefined) return true
  await failed(services, user.id)
  return false
}

/**
 * Uses up the code or the scratch code of a sign-in on the pages.
 * @throws TooManyRequests
 */
export async function takeSecondFactor(
  services: AuthServices,
  userId: UserId,
  given: { readonly code: string } | { readonly scratch: string },
): Promise<boolean> {
  const row = await findTwoFactor(services.db, userId)
  if (!row) return false
  checkFailures(services, row)
  const limit = { maxFailures, sinceUnix: nowUnix(services.clock) - failureWindowSeconds }
  if ('scratch' in given) {
    const hash = hashToken(given.scratch.trim().toLowerCase())
    if (await transaction(services.db, (tx) => takeScratch(tx, userId, hash, limit))) return true
  } else if (row.sealed !== '') {
    const key = services.secrets.open(twoFactorPurpose, row.sealed)
    const step = stepOfCode(key, given.code, nowUnix(services.clock))
    if (step !== undefined && (await transaction(services.db, (tx) => takeStep(tx, userId, step, limit)))) return true
  }
  await failed(services, userId)
  return false
}

/** A new key for a device, and the sealed form that the page carries until its confirmation. */
export interface Enrolment {
  readonly key: string
  readonly sealed: string
}

/** Creates a key for codes; nothing is stored until a code confirms it. */
export function beginEnrolment({ secrets, clock }: AuthServices, user: UserRow): Enrolment {
  const key = newTotpKey()
  const until = nowUnix(clock) + enrolmentSeconds
  return { key, sealed: secrets.seal(enrolmentPurpose, JSON.stringify([user.id, until, key])) }
}

/** Returns the key of an enrolment of this account; undefined when it is invalid or expired. */
export function openEnrolment({ secrets, clock }: AuthServices, user: UserRow, sealed: string): string | undefined {
  try {
    const [userId, until, key] = JSON.parse(secrets.open(enrolmentPurpose, sealed)) as [number, number, string]
    return userId === user.id && until > nowUnix(clock) ? key : undefined
  } catch {
    // Sealed elsewhere or with a removed key: the page shows a new form.
    return undefined
  }
}

const newScratch = (): string => newPrefixedToken('').slice(0, 24)

/**
 * Enables codes after their first code confirmed them.
 * @returns the scratch code to show once; undefined when the code is wrong
 * @throws Conflict when the account has codes
 */
export async function enrol(
  services: AuthServices,
  user: UserRow,
  key: string,
  code: string,
): Promise<string | undefined> {
  const now = nowUnix(services.clock)
  if (stepOfCode(key, code, now) === undefined) return undefined
  const scratch = newScratch()
  const sealed = services.secrets.seal(twoFactorPurpose, key)
  try {
    await transaction(services.db, async (tx) => {
      await recordAct(tx, { ...actOn(user.id), action: 'secondFactor.added' })
      await publish(tx, 'credential.changed', { userId: user.id, what: 'codes', name: '' })
      // An account with passkeys already has a row.
      const isAdded = await addCodes(tx, user.id, { sealed, scratch_hash: hashToken(scratch), last_step: 0 })
      if (!isAdded) await insertTwoFactor(tx, newRow(user.id, sealed, scratch, now))
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('the account already has a second factor', 'two_factor_enrolled')
    throw error
  }
  return scratch
}

const newRow = (userId: UserId, sealed: string, scratch: string, now: Unix): NewTwoFactorRow => ({
  user_id: userId,
  sealed,
  scratch_hash: hashToken(scratch),
  last_step: 0,
  failures: 0,
  failed_unix: 0,
  created_unix: now,
})

/**
 * Records, in the transaction that adds a passkey, that the account has a second factor.
 * @returns the scratch code when it had none
 */
export async function addWithPasskey(tx: Tx, userId: UserId, now: Unix): Promise<string | undefined> {
  if (await findTwoFactor(tx, userId)) return undefined
  const scratch = newScratch()
  await insertTwoFactor(tx, newRow(userId, '', scratch, now))
  return scratch
}

/** Ends the second factor in the transaction that removes the last passkey, unless the account has codes. */
export async function removeWithPasskey(tx: Tx, userId: UserId, left: number): Promise<void> {
  if (left === 0) await deleteWithoutCodes(tx, userId)
}

/** Replaces the scratch code. Throws `Invalid` without a second factor. */
export async function renewScratch(services: AuthServices, user: UserRow): Promise<string> {
  if (!(await hasTwoFactor(services, user.id))) {
    throw new Invalid('the account has no second factor', 'two_factor_missing')
  }
  const scratch = newScratch()
  await transaction(services.db, async (tx) => {
    await updateScratch(tx, user.id, hashToken(scratch))
    await recordAct(tx, { ...actOn(user.id), action: 'secondFactor.scratchRenewed' })
  })
  return scratch
}

async function publishFactorRemoval(tx: Tx, userId: UserId): Promise<void> {
  await recordAct(tx, { ...actOn(userId), action: 'secondFactor.removed' })
  await publish(tx, 'credential.changed', { userId, what: 'secondFactorRemoved', name: '' })
}

/** Disables the codes and keeps passkeys; returns false when there are none. */
export const disableCodes = ({ db }: AuthServices, userId: UserId): Promise<boolean> =>
  transaction(db, async (tx) => {
    const hasPasskeys = (await listPasskeys(tx, userId)).length > 0
    const isGone = await (hasPasskeys ? removeCodes(tx, userId) : deleteTwoFactor(tx, userId))
    if (isGone) await publishFactorRemoval(tx, userId)
    return isGone
  })

/** Removes codes and passkeys; returns false when there are none. */
export const removeSecondFactors = ({ db }: AuthServices, userId: UserId): Promise<boolean> =>
  transaction(db, async (tx) => {
    await deletePasskeysOf(tx, userId)
    const isGone = await deleteTwoFactor(tx, userId)
    if (isGone) await publishFactorRemoval(tx, userId)
    return isGone
  })
