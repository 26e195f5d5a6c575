import type { Key, PartialConfig, Signature } from 'openpgp'

/** Loaded at first use, because many instances have no OpenPGP keys. */
const load = () => import('openpgp')

/** Limit of addresses, subkeys and signatures per key, because each costs a verification. */
const maxParts = 200
/** Largest RSA or DSA modulus, in bits, to bound the cost of a verification. */
const maxBits = 16_384

/** Permitted uses of a key. */
export interface KeyUse {
  readonly canSign: boolean
  readonly canEncryptComms: boolean
  readonly canEncryptStorage: boolean
  readonly canCertify: boolean
}

/** A key or a subkey. */
export interface PgpKeyPart extends KeyUse {
  /** Sixteen hexadecimal digits in upper case. */
  readonly keyId: string
  readonly fingerprint: string
  /** The packet in base64. */
  readonly packet: string
  /** Expiration in seconds; undefined for none. */
  readonly expiresUnix: number | undefined
}

/** A public key with verified self-signatures. */
export interface PgpKey extends PgpKeyPart {
  readonly subkeys: readonly PgpKeyPart[]
  /** Addresses certified by the key itself, in lower case. */
  readonly emails: readonly string[]
  /** The key re-encoded as armoured text. */
  readonly armored: string
}

/** Reasons to refuse a key. */
export type KeyProblem = 'no_key' | 'private_key' | 'too_large' | 'revoked'

const flags = { certify: 1, sign: 2, encryptComms: 4, encryptStorage: 8 }

function useOf(keyFlags: Uint8Array | null | undefined): KeyUse {
  // A key without usage flags may be used for everything (RFC 9580, 5.2.3.29).
  const bits = keyFlags?.[0] ?? 0xff
  return {
    canSign: (bits & flags.sign) !== 0,
    canEncryptComms: (bits & flags.encryptComms) !== 0,
    canEncryptStorage: (bits & flags.encryptStorage) !== 0,
    canCertify: (bits & flags.certify) !== 0,
  }
}

/** Returns a packet with a header of the new format (RFC 9580, 4.2.1). */
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
 * Parses a public key. Only addresses with a valid, unrevoked self-signature and only bound subkeys count.
 * @param now the time of verification
 */
export async function readPgpKey(armored: string, now: Date): Promise<PgpKey | KeyProblem> {
  const { readKeys } = await load()
  let keys: Key[]
  try {
    keys = await readKeys({ armoredKeys: armored })
  } catch {
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
    // Expired subkeys are listed, because they may have made signatures. Unbound ones belong to another key.
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

/** Longest accepted signature, in characters. */
const maxSignatureLength = 16_384

/** A detached signature with the ids of its keys. */
export interface PgpSignature {
  /** Key ids in upper case. */
  readonly keyIds: readonly string[]
  readonly parsed: Signature
}

/** Parses a detached signature; returns undefined for any other text. */
export async function readPgpSignature(armored: string): Promise<PgpSignature | undefined> {
  if (armored.length > maxSignatureLength) return undefined
  const { readSignature } = await load()
  try {
    const parsed = await readSignature({ armoredSignature: armored })
    const keyIds = parsed.getSigningKeyIDs().map((id) => id.toHex().toUpperCase())
    // Only a single signature is verified, to bound the cost.
    return keyIds.length === 1 ? { keyIds, parsed } : undefined
  } catch {
    // Text that cannot be parsed is not a signature.
    return undefined
  }
}

/** git accepts old keys, so this does as well. */
const lenient: PartialConfig = { minRSABits: 1024 }

/**
 * Returns whether the key, or a subkey that may sign, made the signature over the bytes while it was valid. Signatures
 * with MD5 or SHA-1 are rejected.
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
    // The library throws for every invalid signature.
    return false
  }
}
