import { createHmac } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import type { GpgKeyRow, UserRow } from '../../db/tables/accounts.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { GpgKeyId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { listEmails } from '../email.store.ts'
import {
  countGpgKeys,
  deleteGpgKey,
  findGpgKey,
  findGpgKeyByKeyId,
  hasGpgFingerprint,
  insertGpgKey,
  insertSubkeys,
  listGpgKeys,
  markGpgKeyVerified,
} from './gpg-key.store.ts'
import { provesPgp, readPgpKey, readPgpSignature, type KeyProblem, type PgpKey, type PgpKeyPart } from './openpgp.ts'

const problems: Readonly<Record<KeyProblem, string>> = {
  no_key: 'armored_public_key: this is not a public OpenPGP key',
  private_key: 'armored_public_key: this is a private key, which nobody else should have; make another one',
  revoked: 'armored_public_key: the key is revoked',
  too_large: 'armored_public_key: the key has too many parts, or too large ones',
}

const badSignature = () =>
  new Invalid('armored_signature: it is not a signature of the token by this key', 'gpg_signature_invalid')
const keyTaken = () => new Invalid('armored_public_key: it is in use on this instance', 'gpg_key_taken')
const noKey = () => new NotFound('the key does not exist', 'gpg_key_not_found')

/** Returns the text to sign as proof of a key: 64 hexadecimal digits that depend on account and minute. */
export function verificationToken({ secrets, clock }: Services, user: UserRow, minutesAgo = 0): string {
  const minute = Math.floor(nowUnix(clock) / 60) - minutesAgo
  return createHmac('sha256', secrets.deriveKey('gpg-key-token', 32))
    .update(`${user.id} ${user.created_unix} ${minute}`)
    .digest('hex')
}

/** Returns whether a key signed the token of this or the previous minute, with or without a final line break. */
async function isProven(services: Services, user: UserRow, armored: string, signature: string): Promise<boolean> {
  const parsed = await readPgpSignature(signature)
  if (!parsed) return false
  for (const minutesAgo of [0, 1]) {
    const token = verificationToken(services, user, minutesAgo)
    for (const end of ['', '\n', '\r\n']) {
      if (await provesPgp(armored, parsed, Buffer.from(token + end))) return true
    }
  }
  return false
}

/**
 * Adds a key to an account. The key must name an address of the account, or sign its token; otherwise `NotFound`
 * (observed). Throws `Invalid` for malformed and used keys and for a wrong signature.
 */
export async function addGpgKey(
  services: Services,
  user: UserRow,
  input: { readonly armored: string; readonly signature: string | undefined },
): Promise<GpgKeyRow> {
  const key = await readPgpKey(input.armored, new Date(services.clock.nowMs()))
  if (typeof key === 'string') throw new Invalid(problems[key], `gpg_key_${key}`)
  if (await hasGpgFingerprint(services.db, key.fingerprint)) throw keyTaken()
  const confirmed = new Set(
    (await listEmails(services.db, user.id)).filter((row) => row.is_activated).map((row) => row.lower_email),
  )
  const emails = key.emails.filter((email) => confirmed.has(email))
  const isVerified = Boolean(input.signature)
  if (input.signature && !(await isProven(services, user, key.armored, input.signature))) throw badSignature()
  if (emails.length === 0 && !isVerified) {
    throw new NotFound('none of the addresses of the key is a confirmed address of the account', 'gpg_key_no_address')
  }
  try {
    return await transaction(services.db, async (tx) => {
      const added = await insertWhole(tx, services, user, key, { emails, isVerified })
      await recordAct(tx, {
        action: 'openpgpKey.added',
        doerId: user.id,
        about: { kind: 'openpgp key', id: added.id, name: added.key_id },
        details: { account: user.name },
      })
      await publish(tx, 'credential.changed', { userId: user.id, what: 'openpgpKey', name: added.key_id })
      return added
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw keyTaken()
    throw error
  }
}

async function insertWhole(
  tx: Parameters<typeof insertGpgKey>[0],
  { clock }: Services,
  user: UserRow,
  key: PgpKey,
  { emails, isVerified }: { readonly emails: readonly string[]; readonly isVerified: boolean },
): Promise<GpgKeyRow> {
  const rowOf = (part: PgpKeyPart) => ({
    owner_id: user.id,
    key_id: part.keyId,
    fingerprint: part.fingerprint,
    public_packet: part.packet,
    can_sign: part.canSign,
    can_encrypt_comms: part.canEncryptComms,
    can_encrypt_storage: part.canEncryptStorage,
    can_certify: part.canCertify,
    is_verified: isVerified,
    created_unix: nowUnix(clock),
    expires_unix: part.expiresUnix ?? 0,
  })
  const row = await insertGpgKey(tx, {
    ...rowOf(key),
    primary_id: null,
    armored: key.armored,
    emails: JSON.stringify(emails),
  })
  await insertSubkeys(
    tx,
    key.subkeys.map((subkey) => ({ ...rowOf(subkey), primary_id: row.id, armored: '', emails: '[]' })),
  )
  return row
}

/**
 * Verifies a key of the account by a signature. Throws `NotFound` for an unknown key, `Invalid` for a wrong signature.
 */
export async function verifyGpgKey(
  services: Services,
  user: UserRow,
  input: { readonly keyId: string; readonly signature: string },
): Promise<GpgKeyRow> {
  const key = await findGpgKeyByKeyId(services.db, user.id, input.keyId.toUpperCase())
  if (!key) throw noKey()
  if (!(await isProven(services, user, key.armored, input.signature))) throw badSignature()
  return transaction(services.db, async (tx) => {
    const verified = await markGpgKeyVerified(tx, key.id)
    if (!verified) throw noKey()
    const about = { kind: 'openpgp key', id: key.id, name: key.key_id } as const
    await recordAct(tx, { action: 'openpgpKey.verified', doerId: user.id, about, details: { account: user.name } })
    return verified
  })
}

/** Returns one page of the keys of an account and their number. */
export async function pageOfGpgKeys(
  { db }: Services,
  owner: UserRow,
  page: Page,
): Promise<{ readonly keys: readonly GpgKeyRow[]; readonly total: number }> {
  const [keys, total] = await rowsAndTotal(page, listGpgKeys(db, owner.id, page), countGpgKeys(db, owner.id))
  return { keys, total }
}

/** Returns a key of the account; throws `NotFound` for another's. */
export async function getGpgKey({ db }: Services, owner: UserRow, id: number): Promise<GpgKeyRow> {
  const key = await findGpgKey(db, owner.id, id as GpgKeyId)
  if (!key) throw noKey()
  return key
}

/** Removes a key of the account; does nothing when it does not exist (observed). */
export async function removeGpgKey({ db }: Services, owner: UserRow, id: number): Promise<void> {
  await transaction(db, async (tx) => {
    await deleteGpgKey(tx, owner.id, id as GpgKeyId)
    const about = { kind: 'openpgp key', id } as const
    await recordAct(tx, { action: 'openpgpKey.removed', doerId: owner.id, about, details: { account: owner.name } })
  })
}
