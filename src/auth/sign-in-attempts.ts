import { LRUCache } from 'lru-cache'
import { TooManyRequests } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'

/** Failed sign-ins that one name may have from one address within the window. */
const maxFailures = 10
const windowMs = 10 * 60_000
/** Names and addresses that are remembered; the oldest are forgotten first. */
const maxRemembered = 20_000

/** Slows down whoever guesses passwords, by the form, the API or git. */
export class SignInAttempts {
  readonly #failures = new LRUCache<string, number[]>({ maxSize: maxRemembered, sizeCalculation: () => 1 })

  constructor(readonly clock: Clock) {}

  #recent(key: string): number[] {
    const since = this.clock.nowMs() - windowMs
    return (this.#failures.get(key) ?? []).filter((ms) => ms > since)
  }

  /** @throws TooManyRequests when there were too many failures */
  check(login: string, ip: string): void {
    if (this.#recent(keyOf(login, ip)).length >= maxFailures) {
      throw new TooManyRequests('too many attempts; wait ten minutes and try again', 'sign_in_throttled')
    }
  }

  failed(login: string, ip: string): void {
    const key = keyOf(login, ip)
    this.#failures.set(key, [...this.#recent(key), this.clock.nowMs()])
  }
}

const keyOf = (login: string, ip: string): string => `${ip} ${login.toLowerCase()}`
