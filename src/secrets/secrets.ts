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

/** A sealed text cannot be opened: its key is not known any more, or it is damaged or belongs to another purpose. */
export class SealError extends Error {
  readonly reason: 'unknown_key' | 'damaged'
  constructor(reason: 'unknown_key' | 'damaged') {
    super(reason === 'unknown_key' ? 'the key of a stored secret is not known' : 'a stored secret is damaged')
    this.name = 'SealError'
    this.reason = reason
  }
}

/**
 * Encryption and signatures with the instance key. A purpose is a fixed word like `webhook-secret`: each has its own
 * key, so that a text sealed or signed for one purpose is worthless for another.
 */
export interface Secrets {
  /** Whether texts that an earlier key sealed can be opened too. */
  readonly hasOldKeys: boolean
  /** AES-256-GCM; the text is printable and names its key. The same plaintext never gives the same text twice. */
  seal(purpose: string, plaintext: string): string
  /** Throws SealError. */
  open(purpose: string, sealed: string): string
  /** The text sealed anew when its key is not the current one, else undefined. Throws SealError. */
  reseal(purpose: string, sealed: string): string | undefined
  /** A printable, readable but unforgeable value that ends at `expiresUnix` (seconds). */
  sign(purpose: string, payload: SignedPayload, expiresUnix: Unix): string
  /** The payload of a signed value; undefined when it is forged, damaged, expired or for another purpose. */
  verify(purpose: string, signed: string, nowUnix: Unix): SignedPayload | undefined
  /** A key for use elsewhere (tokens of other protocols), the same at every start; changes with the instance key. */
  deriveKey(purpose: string, sizeBytes: number): Buffer
}

/** What a signed value may carry. It is readable by whoever holds it. */
export type SignedPayload = Readonly<Record<string, string | number | boolean | null>>

/** Signed values longer than this are not looked at. */
const maxSignedLength = 8192
const nonceBytes = 12
const tagBytes = 16

interface InstanceKey {
  /** Names the key in texts; says nothing about it. */
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
      // OpenSSL says no more than that the tag does not fit.
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
      // The signature is ours, so the body has the form that `sign` gave it.
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
  // Purposes are fixed words of the program, so there are few of them to remember.
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

/** Whether two secrets are equal, in a time that does not tell where they differ. */
export function equalSecrets(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()
  return timingSafeEqual(digest(left), digest(right))
}
