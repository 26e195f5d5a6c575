import { createHash } from 'node:crypto'
import { wordTable } from '../../lib/word-table.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** A parsed public SSH key. */
export interface SshKey {
  /** For example `ssh-ed25519`. */
  readonly type: string
  readonly comment: string
  /** `type base64`, followed by the comment if any. This form is stored and shown. */
  readonly content: string
  /** `SHA256:` and 43 base64 characters without padding. */
  readonly fingerprint: string
  /** Key family for `[ssh.minimum_key_sizes]`. */
  readonly family: 'ED25519' | 'ECDSA' | 'RSA' | 'ED25519-SK' | 'ECDSA-SK'
  readonly bits: number
}

/** Longest accepted text, in characters; an RSA key of 16384 bits has about 2,800. */
const maxKeyLength = 16_384

const families = wordTable<SshKey['family']>({
  'ssh-ed25519': 'ED25519',
  'ssh-rsa': 'RSA',
  'ecdsa-sha2-nistp256': 'ECDSA',
  'ecdsa-sha2-nistp384': 'ECDSA',
  'ecdsa-sha2-nistp521': 'ECDSA',
  'sk-ssh-ed25519@openssh.com': 'ED25519-SK',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ECDSA-SK',
})

/** Splits a key into its fields (RFC 4253): a length of four bytes followed by the content. */
function readFields(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = []
  let at = 0
  while (at < blob.length) {
    if (at + 4 > blob.length) return undefined
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return undefined
    fields.push(blob.subarray(at + 4, end))
    at = end
  }
  return fields
}

function bitsOf(type: string, fields: readonly Buffer[]): number | undefined {
  const [, first, second] = fields
  switch (families[type]) {
    case 'ED25519':
    case 'ED25519-SK':
      return first?.length === 32 ? 256 : undefined
    case 'ECDSA':
    case 'ECDSA-SK': {
      const curve = first?.toString('latin1') ?? ''
      const bits = { nistp256: 256, nistp384: 384, nistp521: 521 }[curve]
      // An uncompressed point: the byte 4 and two coordinates.
      return bits !== undefined && type.includes(curve) && second?.length === 1 + 2 * Math.ceil(bits / 8)
        ? bits
        : undefined
    }
    case 'RSA': {
      if (!second) return undefined
      const hex = second.toString('hex').replace(/^(?:00)+/, '')
      return hex === '' ? undefined : BigInt(`0x${hex}`).toString(2).length
    }
    case undefined:
      return undefined
  }
}

const fieldCounts: Readonly<Record<SshKey['family'], number>> = {
  ED25519: 2,
  RSA: 3,
  ECDSA: 3,
  'ED25519-SK': 3,
  'ECDSA-SK': 4,
}

/** Parses one line of an authorized_keys file without options; returns undefined for other text and unknown kinds. */
export function parseSshKey(text: string): SshKey | undefined {
  const line = text.trim()
  if (line.length > maxKeyLength || /[\r\n]/.test(line)) return undefined
  const [, type = '', encoded = '', comment = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/s.exec(line) ?? []
  const family = families[type]
  if (!family || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const blob = Buffer.from(encoded, 'base64')
  const fields = readFields(blob)
  if (!fields || fields[0]?.toString('latin1') !== type || fields.length !== fieldCounts[family]) return undefined
  const bits = bitsOf(type, fields)
  if (bits === undefined) return undefined
  const base64 = blob.toString('base64')
  return {
    type,
    comment,
    content: comment === '' ? `${type} ${base64}` : `${type} ${base64} ${comment}`,
    fingerprint: `SHA256:${trimTrailing(createHash('sha256').update(blob).digest('base64'), '=')}`,
    family,
    bits,
  }
}
