import { createHash } from 'node:crypto'
import { cacheOf } from '../lib/cache.ts'

/** How long a verified password needs no new hashing, in milliseconds. A changed password takes effect at once. */
const rememberMs = 60_000
const maxRemembered = 10_000

/**
 * Verifies passwords. Hashing takes milliseconds by design, and clients without tokens send the password with every
 * request. Therefore a success is remembered for a minute under a digest of the password and the stored hash.
 */
export class PasswordChecks {
  readonly #right = cacheOf<string, true>(maxRemembered, { ttl: rememberMs })
  readonly #running = new Map<string, Promise<boolean>>()

  /** @param verify compares a password with an encoded hash; without a hash it takes the same time and returns false */
  constructor(readonly verify: (password: string, encodedHash: string | undefined) => Promise<boolean>) {}

  /**
   * Returns whether the password matches.
   * @param stored the encoded hash; undefined for an unknown name, which takes the same time
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
