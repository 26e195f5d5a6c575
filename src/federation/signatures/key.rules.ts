import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { wordTable } from '../../lib/word-table.ts'

/** Smallest and largest RSA key, in bits: small ones are broken, very large ones take long. */
const minRsaBits = 2048
const maxRsaBits = 8192

/** Longest PEM, in characters. */
const maxPemLength = 4096

/** The key of a PEM "PUBLIC KEY" (SPKI) of a kind that signs requests; undefined for anything else. */
export function parsePublicKey(pem: string): KeyObject | undefined {
  if (pem.length > maxPemLength || !/^\s*-----BEGIN PUBLIC KEY-----\s/.test(pem)) return undefined
  try {
    const key = createPublicKey({ key: pem, format: 'pem', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return key
    const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0
    return bits >= minRsaBits && bits <= maxRsaBits ? key : undefined
  } catch {
    // OpenSSL tells many ways of being no key apart; to us they are one.
    return undefined
  }
}

/** Ways to sign, by the names of draft-cavage (`hs2019` and none: as the key is) and of RFC 9421. */
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

/** The setting's name for an algorithm: what is not the way of a key is believed only when it is listed. */
export const listedName = (name: string): string | undefined => {
  const known = algorithms[name]
  return known === 'key' ? undefined : known === 'rsa-pss-sha512' ? 'rsa-sha512' : known
}

/** Whether a signature of a text was made with a key. An algorithm that is not for keys of its kind fits nothing. */
export function signatureFits(text: string, signature: Buffer, key: KeyObject, algorithm: string): Promise<boolean> {
  const named = algorithms[algorithm]
  const isRsa = key.asymmetricKeyType === 'rsa'
  const way = named === 'key' ? (isRsa ? 'rsa-sha256' : 'ed25519') : named
  const bytes = Buffer.from(text)
  if (way === undefined || isRsa !== way.startsWith('rsa')) return Promise.resolve(false)
  const how = way === 'rsa-pss-sha512' ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } : key
  const digest = isRsa ? (way === 'rsa-sha256' ? 'sha256' : 'sha512') : null
  return new Promise((resolve, reject) =>
    verify(digest, bytes, how, signature, (error, fits) => (error ? reject(error) : resolve(fits))),
  )
}
