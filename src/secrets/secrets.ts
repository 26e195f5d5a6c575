import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Unix } from '../lib/time.ts'
import type { InstanceKeys } from './instance-key.ts'

/** A sealed text cannot be opened: its key is unknown, it is damaged, or it was sealed for another purpose. */
export class SealError extends Error {
  readonly reason: 'unknown_key' | 'damaged'
  constructor(reason: 'unknown_key' | 'damaged') {
    super(reason === 'unknown_key' ? 'the key of a stored secret is not known' : 'a stored secret is damaged')
    this.name = 'SealError'
    this.reason = reason
  }
}

/**
 * Encryption and signatures with the instance key. A purpose is a fixed word like `webhook-secret`. Each purpose has its own
 * key, so that a text sealed or signed for one purpose is invalid for another.
 */
export interface Secrets {
  /** Ids of the known keys, the current one first. An id does not reveal its key. */
  readonly keyIds: readonly string[]
  /** Whether previous keys are configured. */
  readonly hasOldKeys: boolean
  /** Encrypts with AES-256-GCM. The result is printable, names its key, and differs for each call. */
  seal(purpose: string, plaintext: string): string
  /** Decrypts a sealed text. Throws SealError. */
  open(purpose: string, sealed: string): string
  /** Returns the text sealed with the current key, or undefined when it is. Throws SealError. */
  reseal(purpose: string, sealed: string): string | undefined
  /** Returns a printable signed value, readable by anyone, that expires at `expiresUnix` (seconds). */
  sign(purpose: string, payload: SignedPayload, expiresUnix: Unix): string
  /** Returns the payload of a signed value; undefined when it is forged, damaged, expired or for another purpose. */
  verify(purpose: string, signed: string, nowUnix: Unix): SignedPayload | undefined
  /** Returns a key for other uses, such as tokens of other protocols. It changes only with the instance key. */
  deriveKey(purpose: string, sizeBytes: number): Buffer
}

/** The payload of a signed value, which anyone who has the value can read. */
export type SignedPayload = Readonly<Record<string, string | number | boolean | null>>

/** Longest signed value, in characters. */
const maxSignedLength = 8192
const nonceBytes = 12
const tagBytes = 16

interface InstanceKey {
  /** Identifies the key in sealed texts, without revealing it. */
  readonly id: string
  readonly derive: (use: string, purpose: string, sizeBytes: number) => Buffer
}

export function createSecrets(keys: InstanceKeys): Secrets {
  const current = prepareKey(keys.current)
  const byId = new Map([...keys.previous.map(prepareKey), current].map((key) => [key.id, key]))

  function open(purpose: string, sealed: string): string {
    const [version, id, body, rest] = sealed.split('.')
    if (version !== 'v1' || id === undefined || body === undefined || rest !== undefined) throw new SealError('damaged')
    const key = byId.get(id)
    if (key === undefined) throw new SealError('unknown_key')
    const bytes = Buffer.from(body, 'base64url')
    if (bytes.length < nonceBytes + tagBytes) throw new SealError('damaged')
    const decipher = createDecipheriv('aes-256-gcm', key.derive('seal', purpose, 32), bytes.subarray(0, nonceBytes))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    } catch {
      // OpenSSL reports only that the tag does not match.
      throw new SealError('damaged')
    }
  }

  function seal(purpose: string, plaintext: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', current.derive('seal', purpose, 32), nonce)
    const body = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `v1.${current.id}.${body.toString('base64url')}`
  }

  const macOf = (key: InstanceKey, purpose: string, body: string): Buffer =>
    createHmac('sha256', key.derive('sign', purpose, 32))
      .update(body)
      .digest()

  return {
    keyIds: [current.id, ...[...byId.keys()].filter((id) => id !== current.id)],
    hasOldKeys: keys.previous.length > 0,
    seal,
    open,
    reseal: (purpose, sealed) => {
      const plaintext = open(purpose, sealed)
      return sealed.startsWith(`v1.${current.id}.`) ? undefined : seal(purpose, plaintext)
    },
    sign: (purpose, payload, expiresUnix) => {
      const body = Buffer.from(JSON.stringify([expiresUnix, payload])).toString('base64url')
      return `${current.id}.${body}.${macOf(current, purpose, body).toString('base64url')}`
    },
    verify: (purpose, signed, nowUnix) => {
      if (signed.length > maxSignedLength) return undefined
      const [id, body, mac, rest] = signed.split('.')
      const key = id === undefined ? undefined : byId.get(id)
      if (key === undefined || body === undefined || mac === undefined || rest !== undefined) return undefined
      const given = Buffer.from(mac, 'base64url')
      const right = macOf(key, purpose, body)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      // The signature is valid, so the body was written by `sign`.
      const [expiresUnix, payload] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as [
        number,
        SignedPayload,
      ]
      return expiresUnix > nowUnix ? payload : undefined
    },
    deriveKey: (purpose, sizeBytes) => current.derive('key', purpose, sizeBytes),
  }
}

function prepareKey(text: string): InstanceKey {
  const material = Buffer.from(text, 'utf8')
  // Purposes are fixed words of the program, so the cache stays small.
  const derived = new Map<string, Buffer>()
  const derive = (use: string, purpose: string, sizeBytes: number): Buffer => {
    const name = `ingot/${use}/${purpose}/${sizeBytes}`
    const known = derived.get(name)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), name, sizeBytes))
    if (derived.size < 256) derived.set(name, key)
    return key
  }
  return { id: derive('id', 'instance', 6).toString('base64url').replaceAll(/[-_]/g, '0'), derive }
}

/** Compares two secrets in constant time. */
export function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(digest(left), digest(right))
}
