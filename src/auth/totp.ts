import { createHmac, randomBytes } from 'node:crypto'
import { equalSecrets } from '../secrets/secrets.ts'

// One-time codes (RFC 6238): SHA-1, six digits, thirty seconds, as all authenticator apps support them.

const stepSeconds = 30
/** Number of steps before and after the current one that are accepted, for inaccurate clocks. */
const tolerance = 1

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns a new 160-bit key as 32 base-32 letters. */
export const newTotpKey = (): string => Array.from(randomBytes(32), (byte) => base32[byte & 31]).join('')

function bytesOf(key: string): Buffer {
  const bytes: number[] = []
  let [bits, value] = [0, 0]
  for (const letter of key) {
    value = ((value << 5) | base32.indexOf(letter)) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >> bits) & 0xff)
    }
  }
  return Buffer.from(bytes)
}

/** Returns the code of a time step. */
export function totpAt(key: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(key)).update(counter).digest()
  const offset = (mac.at(-1) as number) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

export const stepAt = (unix: number): number => Math.floor(unix / stepSeconds)

/** Returns the time step of a code near now; undefined for a wrong code. Spaces between digits are ignored. */
export function stepOfCode(key: string, code: string, nowUnix: number): number | undefined {
  const digits = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const now = stepAt(nowUnix)
  // All candidates are compared, so that the time does not reveal which one matches.
  const fitting = Array.from({ length: 2 * tolerance + 1 }, (_, index) => now - tolerance + index).filter((step) =>
    equalSecrets(totpAt(key, step), digits),
  )
  return fitting.at(-1)
}

/** Returns the address that authenticator apps read from a QR code. */
export const totpAddress = (issuer: string, account: string, key: string): string =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}?secret=${key}&issuer=${encodeURIComponent(issuer)}`
