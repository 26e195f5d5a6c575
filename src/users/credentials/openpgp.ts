import type { Key, PartialConfig, Signature } from 'openpgp'

/** The library is loaded when somebody has an OpenPGP key or signature, which on many instances nobody does. */
const load = () => import('openpgp')

/** Most addresses, subkeys and signatures of a key that are looked at: each costs a check. */
const maxParts = 200
/** Largest number of an RSA or DSA key, in bits; larger ones only cost time. */
const maxBits = 16_384

/** What a key may be used for. */
export interface KeyUse {
  readonly canSign: boolean
  readonly canEncryptComms: boolean
  readonly canEncryptStorage: boolean
  readonly canCertify: boolean
}

/** A key, or one of its subkeys. */
export interface PgpKeyPart extends KeyUse {
  /** Sixteen hexadecimal digits in upper case. */
  readonly keyId: string
  readonly fingerprint: string
  /** Base64 of its packet. */
  readonly packet: string
  /** Seconds; undefined: never. */
  readonly expiresUnix: number | undefined
}

/** A public key, whose own signatures were checked. */
export interface PgpKey extends PgpKeyPart {
  readonly subkeys: readonly PgpKeyPart[]
  /** Addresses that the key itself says are its own, in lower case. */
  readonly emails: readonly string[]
  /** The key as text again, without what was around it. */
  readonly armored: string
}

/** Why a text is no key that is taken. */
export type KeyProblem = 'no_key' | 'private_key' | 'too_large' | 'revoked'

const flags = { certify: 1, sign: 2, encryptComms: 4, encryptStorage: 8 }

function useOf(keyFlags: Uint8Array | null | undefined): KeyUse {
  // A key that does not say what it is for may be used for everything (RFC 9580, 5.2.3.29).
  const bits = keyFlags?.[0] ?? 0xff
  return {
    canSign: (bits & flags.sign) !== 0,
    canEncryptComms: (bits & flags.encryptComms) !== 0,
    canEncryptStorage: (bits & flags.encryptStorage) !== 0,
    canCertify: (bits & flags.certify) !== 0,
  }
}

/** The bytes of a packet with a header of the new form (RFC 9580, 4.2.1). */
function packetBytes(tag: number, body: Uint8Array): Buffer {
  const { length } = body
  const size =
    length < 192
      ? [length]
      : length < 8384
        ? [((length - 192) >> 8) + 192, (length - 192) & 0xff]
        : [0xff, length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]
  return Buffer.concat([Buffer.from([0xc0 | tag, ...size]), body])
}

const partOf = (
  tag: number,
  part: { keyPacket: { write(): unknown }; getKeyID(): { toHex(): string }; getFingerprint(): string },
  use: KeyUse,
  expiration: Date | number | null,
): PgpKeyPart => ({
  ...use,
  keyId: part.getKeyID().toHex().toUpperCase(),
  fingerprint: part.getFingerprint(),
  packet: packetBytes(tag, part.keyPacket.write() as Uint8Array).toString('base64'),
  expiresUnix: expiration instanceof Date ? Math.floor(expiration.getTime() / 1000) : undefined,
})

const isTooLarge = (key: Key): boolean => {
  const parts = [key, ...key.subkeys]
  const signatures =
    key.users.reduce((sum, user) => sum + user.selfCertifications.length + user.revocationSignatures.length, 0) +
    key.subkeys.reduce((sum, subkey) => sum + subkey.bindingSignatures.length, 0)
  return (
    key.users.length > maxParts ||
    key.subkeys.length > maxParts ||
    signatures > maxParts ||
    parts.some((part) => (part.getAlgorithmInfo().bits ?? 0) > maxBits)
  )
}

/**
 * Reads a public key. Addresses count when the key signed them itself and did not revoke them; subkeys when they are
 * bound to the key.
 * @param now the time to judge by
 */
export async function readPgpKey(armored: string, now: Date): Promise<PgpKey | KeyProblem> {
  const { readKeys } = await load()
  let keys: Key[]
  try {
    keys = await readKeys({ armoredKeys: armored })
  } catch {
    // The library's words are for programmers; what matters to people is that it is no key.
    return 'no_key'
  }
  const [key] = keys
  if (!key || keys.length > 1) return 'no_key'
  if (key.isPrivate()) return 'private_key'
  if (isTooLarge(key)) return 'too_large'
  if (await key.isRevoked(undefined, undefined, now)) return 'revoked'
  const emails: string[] = []
  for (const user of key.users) {
    const isOwn = await user.verify(now).then(
      (valid) => valid ?? false,
      () => false,
    )
    const email = user.userID?.email.toLowerCase()
    if (isOwn && email) emails.push(email)
  }
  const primary = await key.getPrimaryUser(now).catch(() => undefined)
  const subkeys: PgpKeyPart[] = []
  for (const subkey of key.subkeys) {
    // An expired subkey made signatures once, and is told; one that is not bound to the key is somebody else's.
    const binding = await subkey.verify(subkey.getCreationTime()).catch(() => undefined)
    if (!binding) continue
    subkeys.push(partOf(14, subkey, useOf(binding.keyFlags), await subkey.getExpirationTime().catch(() => null)))
  }
  const expiration = await key.getExpirationTime().catch(() => null)
  return {
    ...partOf(6, key, useOf(primary?.selfCertification.keyFlags), expiration),
    subkeys,
    emails: [...new Set(emails)],
    armored: key.armor(),
  }
}

/** Longest signature that is looked at, in characters. */
const maxSignatureLength = 16_384

/** A detached signature: who it says made it. */
export interface PgpSignature {
  /** Ids of keys, in upper case. */
  readonly keyIds: readonly string[]
  readonly parsed: Signature
}

/** Takes a detached signature apart; undefined when it is none. */
export async function readPgpSignature(armored: string): Promise<PgpSignature | undefined> {
  if (armored.length > maxSignatureLength) return undefined
  const { readSignature } = await load()
  try {
    const parsed = await readSignature({ armoredSignature: armored })
    const keyIds = parsed.getSigningKeyIDs().map((id) => id.toHex().toUpperCase())
    // Several signatures on one thing are nobody's habit; each would cost a check.
    return keyIds.length === 1 ? { keyIds, parsed } : undefined
  } catch {
    // What cannot be parsed is no signature; there is nobody else to tell.
    return undefined
  }
}

/** Keys and signatures of earlier days are taken as they are by git, so what was usual then is no reason to refuse. */
const lenient: PartialConfig = { minRSABits: 1024 }

/**
 * Whether a signature was made over the bytes with the key, or with a subkey that may sign, at a time when it might:
 * before it expired or was revoked. Hashes that can be forged (MD5, SHA-1) prove nothing.
 */
export async function provesPgp(key: string, { parsed }: PgpSignature, content: Buffer): Promise<boolean> {
  const { createMessage, readKey, verify } = await load()
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: new Uint8Array(content) }),
      signature: parsed,
      verificationKeys: await readKey({ armoredKey: key }),
      format: 'binary',
      config: lenient,
    })
    const [made] = signatures
    return made !== undefined && (await made.verified)
  } catch {
    // The library throws for each signature that proves nothing.
    return false
  }
}
