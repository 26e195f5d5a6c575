import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { hash, verify } from '@node-rs/argon2'
import { Invalid, Unavailable } from '../lib/errors.ts'
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts'

const derivePbkdf2 = promisify(pbkdf2)

/** argon2id with 19 MiB, two passes and one lane, the first recommendation of OWASP: about 10 ms. The library's type 2 is argon2id. */
const argon2Cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Longest password. The forms of the family permit 255 characters. */
const maxPasswordBytes = 1024
/** Most concurrent hashes. Each takes a thread of the pool for 10 ms and 19 MiB; more would starve file access. */
const maxRunning = 3
/** Most waiting hashes, about a second of work. Further requests are refused. */
const maxWaiting = 300
/** Most iterations of an imported hash, which bound the work of the server. */
const maxPbkdf2Iterations = 2_000_000

const limit = createConcurrencyLimit({
  running: maxRunning,
  waiting: maxWaiting,
  refusal: () => new Unavailable('too many passwords are being checked', 'passwords_busy'),
})

/** Returns the stored form of a password: argon2id in PHC form. Throws Invalid (empty, too long) and Unavailable (load). */
export async function hashPassword(password: string): Promise<string> {
  const sizeBytes = Buffer.byteLength(password)
  if (sizeBytes === 0) throw new Invalid('a password is required', 'password_required')
  if (sizeBytes > maxPasswordBytes) {
    throw new Invalid(`a password has at most ${maxPasswordBytes} bytes`, 'password_too_long')
  }
  return limit.run(() => hash(password, argon2Cost))
}

/**
 * Returns whether a password matches a stored hash. Without a hash (an unknown login, an account without password) it takes as long
 * and returns false, so that the time does not reveal which logins exist. Throws Unavailable under load.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  if (Buffer.byteLength(password) > maxPasswordBytes) return false
  if (stored === undefined || stored === '') {
    await limit.run(() => hash(password, argon2Cost))
    return false
  }
  if (stored.startsWith('pbkdf2$')) return limit.run(() => verifyPbkdf2(password, stored))
  if (!stored.startsWith('$argon2')) return false
  return limit.run(() => verify(stored, password))
}

/**
 * Hashes of imported accounts: `pbkdf2$<iterations>$<bytes>$<salt>$<hash>`, the joined columns algorithm, salt and hash of the
 * family. SHA-256; hash and salt are hexadecimal, except a salt of ten characters, which is the oldest form.
 */
async function verifyPbkdf2(password: string, stored: string): Promise<boolean> {
  const match = /^pbkdf2\$(\d{1,8})\$(\d{1,3})\$([^$]+)\$([0-9a-f]+)$/i.exec(stored)
  if (match === null) return false
  const [, iterations, sizeBytes, salt = '', expectedHex = ''] = match
  const expected = Buffer.from(expectedHex, 'hex')
  if (Number(iterations) < 1 || Number(iterations) > maxPbkdf2Iterations || expected.length !== Number(sizeBytes)) {
    return false
  }
  const saltBytes = Buffer.from(salt, salt.length === 10 ? 'utf8' : 'hex')
  const actual = await derivePbkdf2(password, saltBytes, Number(iterations), expected.length, 'sha256')
  return timingSafeEqual(actual, expected)
}
