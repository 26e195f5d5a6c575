import { createHash, createPublicKey, hash, verify, type JsonWebKey, type KeyObject } from 'node:crypto'
import { wordTable } from '../lib/word-table.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

/** A signature of an SSH sign-in. */
export interface SshSignature {
  /** The signed bytes. */
  readonly signed: Buffer
  /** ASN.1 for ECDSA keys, and the form of the message for all others. */
  readonly signature: Buffer
  /** The hash of RSA signatures; undefined means SHA-1, which is refused. */
  readonly hashAlgorithm: string | undefined
}

/** Returns the fingerprint of a key as `ssh-keygen -l` prints it. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${trimTrailing(createHash('sha256').update(blob).digest('base64'), '=')}`

/** Reads strings and numbers of SSH messages (RFC 4251). Throws RangeError at the end of the bytes. */
export function reader(bytes: Buffer): {
  next(): Buffer
  number(): number
  largeNumber(): bigint
  offset(): number
  rest(): Buffer
} {
  let offset = 0
  return {
    number() {
      const value = bytes.readUInt32BE(offset)
      offset += 4
      return value
    },
    largeNumber() {
      const value = bytes.readBigUInt64BE(offset)
      offset += 8
      return value
    },
    offset: () => offset,
    next() {
      const length = bytes.readUInt32BE(offset)
      const end = offset + 4 + length
      if (end > bytes.length) throw new RangeError('the key is cut off')
      const value = bytes.subarray(offset + 4, end)
      offset = end
      return value
    },
    rest: () => bytes.subarray(offset),
  }
}

const curves = wordTable<{ readonly name: string; readonly hash: string }>({
  nistp256: { name: 'P-256', hash: 'sha256' },
  nistp384: { name: 'P-384', hash: 'sha384' },
  nistp521: { name: 'P-521', hash: 'sha512' },
})

const rsaHashes: ReadonlySet<string> = new Set(['sha256', 'sha512'])

/** The names of RSA signatures, and their hashes. */
const rsaSignatures = wordTable({ 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' })

const keyOf = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: 'jwk' })
const text = (bytes: Buffer): string => bytes.toString('base64url')

/** Removes the zero byte that keeps an mpint positive. */
const unsigned = (bytes: Buffer): Buffer => (bytes[0] === 0 ? bytes.subarray(1) : bytes)

function ecKey(curve: string, point: Buffer): { key: KeyObject; hash: string } {
  const known = curves[curve]
  const size = (point.length - 1) / 2
  if (!known || point[0] !== 4 || !Number.isInteger(size)) throw new RangeError('the curve is not known')
  const key = keyOf({
    kty: 'EC',
    crv: known.name,
    x: text(point.subarray(1, 1 + size)),
    y: text(point.subarray(1 + size)),
  })
  return { key, hash: known.hash }
}

const edKey = (point: Buffer): KeyObject => keyOf({ kty: 'OKP', crv: 'Ed25519', x: text(point) })

/**
 * Returns whether a signature was made with the key of a blob (RFC 4253, 5656, 8332, 8709, and PROTOCOL.u2f of OpenSSH for
 * security keys, which must have been touched). A malformed or unsupported signature is invalid.
 */
export function provesKey(blob: Buffer, proof: SshSignature): boolean {
  try {
    return verifies(blob, proof)
  } catch {
    // A malformed signature is invalid.
    return false
  }
}

function verifies(blob: Buffer, { signed, signature, hashAlgorithm }: SshSignature): boolean {
  const fields = reader(blob)
  const type = fields.next().toString('latin1')
  switch (type) {
    case 'ssh-ed25519':
      return verify(null, signed, edKey(fields.next()), signature)
    case 'ssh-rsa': {
      if (hashAlgorithm === undefined || !rsaHashes.has(hashAlgorithm)) return false
      const [e, n] = [fields.next(), fields.next()]
      return verify(hashAlgorithm, signed, keyOf({ kty: 'RSA', e: text(unsigned(e)), n: text(unsigned(n)) }), signature)
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const { key, hash: digest } = ecKey(fields.next().toString('latin1'), fields.next())
      return verify(digest, signed, key, signature)
    }
    case 'sk-ssh-ed25519@openssh.com': {
      const key = edKey(fields.next())
      const token = touched(fields.next(), signed, signature.subarray(64))
      return token !== undefined && verify(null, token, key, signature.subarray(0, 64))
    }
    case 'sk-ecdsa-sha2-nistp256@openssh.com': {
      const { key } = ecKey(fields.next().toString('latin1'), fields.next())
      const token = touched(fields.next(), signed, signature.subarray(-5))
      const numbers = reader(signature.subarray(0, -5))
      return token !== undefined && verify('sha256', token, key, ecdsaDer(numbers.next(), numbers.next()))
    }
    default:
      return false
  }
}

/** Returns the bytes that a security key signed; undefined when it was not touched. `end` contains flags and counter. */
function touched(application: Buffer, signed: Buffer, end: Buffer): Buffer | undefined {
  const isPresent = 1
  if (end.length !== 5 || ((end[0] as number) & isPresent) === 0) return undefined
  return Buffer.concat([hash('sha256', application, 'buffer'), end, hash('sha256', signed, 'buffer')])
}

/** Encodes two numbers of at most 66 bytes as an ASN.1 sequence. */
function ecdsaDer(r: Buffer, s: Buffer): Buffer {
  const numbers = Buffer.concat([Buffer.from([2, r.length]), r, Buffer.from([2, s.length]), s])
  const length = numbers.length < 128 ? [numbers.length] : [0x81, numbers.length]
  return Buffer.concat([Buffer.from([0x30, ...length]), numbers])
}

/** A signature as `ssh-keygen -Y sign` writes it (PROTOCOL.sshsig of OpenSSH). */
export interface SshTextSignature {
  /** The blob of the key that the signature names. */
  readonly fingerprint: string
  /** Returns whether the signature is valid for these bytes and git's namespace. */
  proves(content: Buffer): boolean
}

/** Longest signature, in characters. A signature of a 16384-bit RSA key has about 6,000. */
const maxSignatureLength = 16_384

/** Parses a signature; undefined when it is malformed or has another namespace than git's. */
export function parseTextSignature(armored: string): SshTextSignature | undefined {
  if (armored.length > maxSignatureLength) return undefined
  const [, base64] =
    /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/.exec(armored) ?? []
  if (base64 === undefined) return undefined
  try {
    return takeApart(Buffer.from(base64, 'base64'))
  } catch {
    // A malformed text is not a signature.
    return undefined
  }
}

function takeApart(bytes: Buffer): SshTextSignature | undefined {
  const magic = 'SSHSIG'
  if (bytes.toString('latin1', 0, magic.length) !== magic || bytes.readUInt32BE(magic.length) !== 1) return undefined
  const fields = reader(bytes.subarray(magic.length + 4))
  const [blob, namespace, reserved, hashName, made] = [1, 2, 3, 4, 5].map(() => fields.next()) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  const digest = hashName.toString('latin1')
  if (namespace.toString('latin1') !== 'git' || (digest !== 'sha256' && digest !== 'sha512')) return undefined
  const { type: _type, ...parts } = readSignature(made)
  return {
    fingerprint: fingerprintOf(blob),
    proves(content) {
      const sent = [namespace, reserved, hashName, hash(digest, content, 'buffer')].flatMap(lengthAndBytes)
      return provesKey(blob, { ...parts, signed: Buffer.concat([Buffer.from(magic), ...sent]) })
    },
  }
}

/**
 * Returns whether a signature in the form of SSH messages (RFC 4253, 6.6) is valid for these bytes and the key of a blob. Its
 * type must match the key.
 */
export function provesKeyAsSent(blob: Buffer, signed: Buffer, made: Buffer): boolean {
  try {
    const { type, ...parts } = readSignature(made)
    const kind = reader(blob).next().toString('latin1')
    const fits = kind === 'ssh-rsa' ? rsaSignatures[type] !== undefined : type === kind
    return fits && provesKey(blob, { ...parts, signed })
  } catch {
    // A malformed signature is invalid.
    return false
  }
}

/** Reads a signature in the form of SSH messages, and its type. Throws RangeError when it is truncated. */
function readSignature(made: Buffer): Omit<SshSignature, 'signed'> & { readonly type: string } {
  const parts = reader(made)
  const type = parts.next().toString('latin1')
  const value = parts.next()
  // Signatures of security keys have further fields.
  if (!type.startsWith('sk-') && parts.rest().length > 0) throw new RangeError('the signature has an end too many')
  return {
    type,
    signature: Buffer.concat([type.startsWith('ecdsa-') ? derOf(value) : value, parts.rest()]),
    hashAlgorithm: rsaSignatures[type],
  }
}

function derOf(value: Buffer): Buffer {
  const numbers = reader(value)
  return ecdsaDer(numbers.next(), numbers.next())
}

/** Encodes bytes as a string of SSH messages. */
export function lengthAndBytes(bytes: Buffer): [Buffer, Buffer] {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return [length, bytes]
}
