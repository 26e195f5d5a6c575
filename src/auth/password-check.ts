import { createHash } from 'node:crypto'
import { cacheOf } from '../lib/cache.ts'

/** How long a password that was right needs no new hashing, in milliseconds; a changed password is noticed at once. */
const rememberMs = 60_000
const maxRemembered = 10_000

/**
 * Checks passwords. A password hash takes milliseconds by design, and clients that know no tokens send the password with
 * every request, so a right answer is remembered for a minute under a digest of the password and the stored hash.
 */
export class PasswordChecks {
  readonly #right = cacheOf<string, true>(maxRemembered, { ttl: rememberMs })
  readonly #running = new Map<string, Promise<boolean>>()

  /** @param verify compares a password with an encoded hash; without one it takes as long and says no */
  constructor(readonly verify: (password: string, encodedHash: string | undefined) => Promise<boolean>) {}

  /**
   * @param stored the encoded hash; without one, as of a name that nobody has, it takes as long and is false
   */
  async matches(stored: string | undefined, password: string): Promise<boolean> {
    if (password === '') return false
    const key = createHash('sha256')
      .update(stored ?? '')
      .update('\0')
      .update(password)
      .digest('base64')
    if (this.#right.has(key)) return true
    const running = this.#running.get(key) ?? this.verify(password, stored)
    this.#running.set(key, running)
    try {
      const matches = await running
      if (matches) this.#right.set(key, true)
      return matches
    } finally {
      this.#running.delete(key)
    }
  }
}
