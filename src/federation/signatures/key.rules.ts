import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { wordTable } from '../../lib/word-table.ts'

/** Smallest and largest RSA key, in bits: small keys are insecure, verifying large ones is slow. */
const minRsaBits = 2048
const maxRsaBits = 8192

/** Longest PEM, in characters. */
const maxPemLength = 4096

/** Parses a PEM "PUBLIC KEY" (SPKI) with an RSA or Ed25519 key; undefined for anything else. */
export function parsePublicKey(pem: string): KeyObject | undefined {
  if (pem.length > maxPemLength || !/^\s*-----BEGIN PUBLIC KEY-----\s/.test(pem)) return undefined
  try {
    const key = createPublicKey({ key: pem, format: 'pem', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return key
    const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0
    return bits >= minRsaBits && bits <= maxRsaBits ? key : undefined
  } catch {
    // Each error of OpenSSL means that the text is not a key.
    return undefined
  }
}

/** Signature algorithms by their names in draft-cavage and RFC 9421; `key`: the type of the key decides. */
const algorithms = wordTable<'key' | 'rsa-sha256' | 'rsa-sha512' | 'rsa-pss-sha512' | 'ed25519'>({
  '': 'key',
  hs2019: 'key',
  'rsa-sha256': 'rsa-sha256',
  'rsa-sha512': 'rsa-sha512',
  'rsa-v1_5-sha256': 'rsa-sha256',
  'rsa-v1_5-sha512': 'rsa-sha512',
  'rsa-pss-sha512': 'rsa-pss-sha512',
  ed25519: 'ed25519',
})

export const isKnownAlgorithm = (name: string): boolean => Object.hasOwn(algorithms, name)

/** Returns the name of an algorithm in `[federation].SIGNATURE_ALGORITHMS`; undefined when the key decides. */
export const settingName = (name: string): string | undefined => {
  const known = algorithms[name]
  return known === 'key' ? undefined : known === 'rsa-pss-sha512' ? 'rsa-sha512' : known
}

/** Returns whether a signature is valid; false when the algorithm does not suit the type of the key. */
export function isSignatureValid(text: string, signature: Buffer, key: KeyObject, algorithm: string): Promise<boolean> {
  const named = algorithms[algorithm]
  const isRsa = key.asymmetricKeyType === 'rsa'
  const scheme = named === 'key' ? (isRsa ? 'rsa-sha256' : 'ed25519') : named
  const bytes = Buffer.from(text)
  if (scheme === undefined || isRsa !== scheme.startsWith('rsa')) return Promise.resolve(false)
  const options = scheme === 'rsa-pss-sha512' ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } : key
  const digest = isRsa ? (scheme === 'rsa-sha256' ? 'sha256' : 'sha512') : null
  return new Promise((resolve, reject) =>
    verify(digest, bytes, options, signature, (error, isValid) => (error ? reject(error) : resolve(isValid))),
  )
}
