import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { UserRow } from '../db/tables/accounts.ts'

/** How long a password that was right needs no new hashing, in milliseconds; a changed password is noticed at once. */
const rememberMs = 60_000
const maxRemembered = 10_000

/**
 * Checks passwords. A password hash takes milliseconds by design, and clients that know no tokens send the password with
 * every request, so a right answer is remembered for a minute under a digest of the password and the stored hash.
 */
export class PasswordChecks {
  readonly #right = new LRUCache<string, true>({ maxSize: maxRemembered, sizeCalculation: () => 1, ttl: rememberMs })
  readonly #running = new Map<string, Promise<boolean>>()

  /** @param verify compares a password with an encoded hash */
  constructor(readonly verify: (password: string, encodedHash: string) => Promise<boolean>) {}

  async matches(user: UserRow, password: string): Promise<boolean> {
    const { password_hash } = user
    if (password_hash === null || password === '') return false
    const key = createHash('sha256').update(password_hash).update('\0').update(password).digest('base64')
    if (this.#right.has(key)) return true
    const running = this.#running.get(key) ?? this.verify(password, password_hash)
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
