import { setTimeout as wait } from 'node:timers/promises'
import { shareOfAddress } from '../http/client-address.ts'
import { cacheOf } from '../lib/cache.ts'
import { TooManyRequests } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'
import { Turns } from './turns.ts'

/** How long a failure counts. */
const windowMs = 10 * 60_000

/**
 * Failures of one name from one address that are free: a client that tries what the password might be. After them an
 * attempt is refused until none failed for the pause.
 */
const freeOfPair = 10
const pairPauseMs = 20_000

/**
 * Failures of all names from one address that are free: a client that tries one password with many names. After them the
 * attempts from there go one after the other. They are never refused: people behind the same address are no guessers.
 */
const freeOfAddress = 30
const addressPaceMs = 500
/** Most that wait at once from one address: the share of all requests that one address has by default. */
const maxWaiting = 256

/** Failures of one name from all addresses, and of all names, from which on attempts have to wait. */
const freeOfName = 50
const freeOfAll = 2000
/** How long they wait: a person does not mind, a program that guesses does. */
const delayMs = 2000
/** Most that wait at once for one name; others are refused, so that waiting takes no room. */
const maxDelayed = 16

/** Names, addresses and pairs that are remembered; the oldest are forgotten first. */
const maxRemembered = 20_000
/** No name is longer, so it need not be told apart. */
const maxNameLength = 254

/** Who makes an attempt; the signal is aborted when the client is gone. */
export interface Caller {
  readonly signal: AbortSignal
}

/**
 * Slows down guesses of passwords, by the form, the API or git. Nobody is locked out: the right password is taken at the next
 * attempt that is in time, and from another address at once. Wrong guesses of other names behind the same address only
 * delay it. Tokens and keys do not come by here.
 */
export class SignInAttempts {
  readonly #ofPair = failures()
  readonly #ofAddress = failures()
  readonly #ofName = failures()
  readonly #all: number[] = []
  /** Pairs that a right password came from. */
  readonly #known = cacheOf<string, true>(maxRemembered)
  readonly #delayed = new Map<string, number>()
  readonly #turns: Turns
  /** Attempts from an address that are neither right nor wrong yet; they count like failures. */
  readonly #open = new Map<string, number>()

  constructor(
    readonly clock: Clock,
    paceMs = addressPaceMs,
  ) {
    this.#turns = new Turns(paceMs, maxWaiting)
  }

  /**
   * To be asked before a password is looked at; it may take a while.
   * @returns to be called when the attempt is over, whatever came of it
   * @throws TooManyRequests when the attempt comes too soon after others of the same name that failed
   */
  async begin(login: string, ip: string, caller?: Caller): Promise<() => void> {
    this.check(login, ip)
    const { name, address, pair } = keysOf(login, ip)
    if (this.#known.has(pair)) return () => {}
    const isHunted = this.#recent(this.#ofName, name).length >= freeOfName || this.#recentOfAll() >= freeOfAll
    if (isHunted) await this.#delay(name)
    const open = this.#open.get(address) ?? 0
    if (this.#recent(this.#ofAddress, address).length + open >= freeOfAddress) {
      // A name with fewer failures goes first, so that guesses of one name do not hold up the people of others.
      const rank = this.#recent(this.#ofPair, pair).length
      if (!(await this.#turns.take(address, rank, caller?.signal))) throw tooMany(addressPaceMs * maxWaiting)
    }
    this.#open.set(address, (this.#open.get(address) ?? 0) + 1)
    return () => {
      const left = (this.#open.get(address) ?? 1) - 1
      if (left > 0) this.#open.set(address, left)
      else this.#open.delete(address)
    }
  }

  /**
   * To be asked again before the answer is used, so that attempts that were begun at once learn no more than others.
   * @throws TooManyRequests
   */
  check(login: string, ip: string): void {
    const recent = this.#recent(this.#ofPair, keysOf(login, ip).pair)
    const waitMs = recent.length < freeOfPair ? 0 : (recent.at(-1) ?? 0) + pairPauseMs - this.clock.nowMs()
    if (waitMs > 0) throw tooMany(waitMs)
  }

  failed(login: string, ip: string): void {
    const { name, address, pair } = keysOf(login, ip)
    const now = this.clock.nowMs()
    const count = (memory: Failures, key: string, most: number) =>
      memory.set(key, [...this.#recent(memory, key), now].slice(-most))
    count(this.#ofPair, pair, freeOfPair)
    count(this.#ofAddress, address, freeOfAddress)
    count(this.#ofName, name, freeOfName)
    this.#all.push(now)
    if (this.#all.length > freeOfAll) this.#all.shift()
  }

  succeeded(login: string, ip: string): void {
    const { pair } = keysOf(login, ip)
    this.#known.set(pair, true)
    this.#ofPair.delete(pair)
  }

  #recent(memory: Failures, key: string): readonly number[] {
    const since = this.clock.nowMs() - windowMs
    return (memory.get(key) ?? []).filter((ms) => ms > since)
  }

  #recentOfAll(): number {
    const since = this.clock.nowMs() - windowMs
    const first = this.#all.findIndex((ms) => ms > since)
    return first < 0 ? 0 : this.#all.length - first
  }

  async #delay(name: string): Promise<void> {
    const delayed = this.#delayed.get(name) ?? 0
    if (delayed >= maxDelayed) throw tooMany(delayMs)
    this.#delayed.set(name, delayed + 1)
    try {
      await wait(delayMs, undefined, { ref: false })
    } finally {
      const left = (this.#delayed.get(name) ?? 1) - 1
      if (left > 0) this.#delayed.set(name, left)
      else this.#delayed.delete(name)
    }
  }
}

/** Moments of failures, in milliseconds. */
const failures = () => cacheOf<string, number[]>(maxRemembered)

type Failures = ReturnType<typeof failures>

const tooMany = (waitMs: number): TooManyRequests => {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return new TooManyRequests(
    `too many wrong passwords; try again in ${retryAfterSeconds} seconds`,
    'sign_in_throttled',
    {
      retryAfterSeconds,
    },
  )
}

function keysOf(login: string, ip: string): { name: string; address: string; pair: string } {
  const name = login.slice(0, maxNameLength).toLowerCase()
  const address = shareOfAddress(ip)
  return { name, address, pair: `${address} ${name}` }
}
