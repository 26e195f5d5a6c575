import { setTimeout as wait } from 'node:timers/promises'
import { shareOfAddress } from '../http/client-address.ts'
import { cacheOf } from '../lib/cache.ts'
import type { Tx } from '../db/database.ts'
import { TooManyRequests } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'
import type { SharedAttempts } from './shared-attempts.ts'
import { Turns } from './turns.ts'

/** How long a failure counts, in milliseconds. */
export const failureWindowMs = 10 * 60_000

/**
 * Failures of one name from one address without a penalty, against clients that guess one password. Further attempts
 * are refused until none failed during the pause.
 */
const freeOfPair = 10
const pairPauseMs = 20_000

/**
 * Failures of all names from one address without a penalty, against clients that try one password with many names.
 * Further attempts take turns. They are never refused, because innocent people may share the address.
 */
const freeOfAddress = 30
const addressPaceMs = 500
/** Largest number of waiting attempts per address: the default share of requests of one address. */
const maxWaiting = 256

/** Failures of one name from all addresses, and of all names, after which attempts are delayed. */
const freeOfName = 50
const freeOfAll = 2000
/** Length of the delay, which slows programs more than people. */
const delayMs = 2000
/** Largest number of delayed attempts per name; others are refused. */
const maxDelayed = 16

/** Number of remembered names, addresses and pairs; the oldest are evicted. */
const maxRemembered = 20_000
/** Longest distinguished name, in characters; account names are shorter. */
const maxNameLength = 254

/** The client of an attempt. The signal is aborted when it disconnects. */
export interface Caller {
  readonly signal: AbortSignal
}

/**
 * Throttles password guesses on the form, the API and git. It locks nobody out: the right password works at the next
 * permitted attempt, and from another address at once. Guesses of other names from the same address only delay it.
 * Tokens and keys are not throttled here.
 */
export class SignInAttempts {
  readonly #ofPair = failures()
  readonly #ofAddress = failures()
  readonly #ofName = failures()
  readonly #all: number[] = []
  /** Pairs with a successful sign-in. */
  readonly #known = cacheOf<string, true>(maxRemembered)
  readonly #delayed = new Map<string, number>()
  readonly #turns: Turns
  /** Number of unfinished attempts per address; they count as failures. */
  readonly #open = new Map<string, number>()

  /**
   * @param shared the failures that the processes of the database share; without it, those of this process count
   */
  constructor(
    readonly clock: Clock,
    readonly shared?: Pick<SharedAttempts, 'news' | 'record' | 'subjectOf'>,
    paceMs = addressPaceMs,
  ) {
    this.#turns = new Turns(paceMs, maxWaiting)
  }

  /**
   * Waits until the password may be verified.
   * @returns a function to call when the attempt is over
   * @throws TooManyRequests when the attempt follows too many failures of the name
   */
  async begin(login: string, ip: string, caller?: Caller): Promise<() => void> {
    await this.#countOthers()
    this.check(login, ip)
    const { name, address, pair } = this.#keysOf(login, ip)
    if (this.#known.has(pair)) return () => {}
    const isHunted = this.#recent(this.#ofName, name).length >= freeOfName || this.#recentOfAll() >= freeOfAll
    if (isHunted) await this.#delay(name)
    const open = this.#open.get(address) ?? 0
    if (this.#recent(this.#ofAddress, address).length + open >= freeOfAddress) {
      // Names with fewer failures go first, so that guesses of one name do not delay other people.
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
   * Call again before using the result, so that concurrent attempts learn no more than sequential ones.
   * @throws TooManyRequests
   */
  check(login: string, ip: string): void {
    const recent = this.#recent(this.#ofPair, this.#keysOf(login, ip).pair)
    const waitMs = recent.length < freeOfPair ? 0 : (recent.at(-1) ?? 0) + pairPauseMs - this.clock.nowMs()
    if (waitMs > 0) throw tooMany(waitMs)
  }

  failed(login: string, ip: string): void {
    this.#count(this.#keysOf(login, ip), this.clock.nowMs())
  }

  /** Records a failure for other processes. */
  async record(tx: Tx, login: string, ip: string): Promise<void> {
    const { name, address, pair } = this.#keysOf(login, ip)
    await this.shared?.record(tx, [pair, address, name])
  }

  async #countOthers(): Promise<void> {
    for (const { subjects, atMs } of (await this.shared?.news()) ?? []) {
      const [pair = '', address = '', name = ''] = subjects
      this.#count({ pair, address, name }, atMs)
    }
  }

  #count({ name, address, pair }: Keys, atMs: number): void {
    const count = (memory: Failures, key: string, most: number) => {
      const times = [...this.#recent(memory, key), atMs]
      memory.set(key, times.toSorted((one, other) => one - other).slice(-most))
    }
    count(this.#ofPair, pair, freeOfPair)
    count(this.#ofAddress, address, freeOfAddress)
    count(this.#ofName, name, freeOfName)
    this.#all.push(atMs)
    if (this.#all.length > freeOfAll) this.#all.shift()
  }

  #keysOf(login: string, ip: string): Keys {
    const name = login.slice(0, maxNameLength).toLowerCase()
    const address = shareOfAddress(ip)
    const keys = { name, address, pair: `${address} ${name}` }
    const subject = this.shared?.subjectOf
    return subject
      ? { name: subject(`name ${name}`), address: subject(`address ${address}`), pair: subject(`pair ${keys.pair}`) }
      : keys
  }

  succeeded(login: string, ip: string): void {
    const { pair } = this.#keysOf(login, ip)
    this.#known.set(pair, true)
    this.#ofPair.delete(pair)
  }

  #recent(memory: Failures, key: string): readonly number[] {
    const since = this.clock.nowMs() - failureWindowMs
    return (memory.get(key) ?? []).filter((ms) => ms > since)
  }

  #recentOfAll(): number {
    const since = this.clock.nowMs() - failureWindowMs
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

/** Times of failures, in milliseconds. */
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

/** What a failure counts against. */
interface Keys {
  readonly name: string
  readonly address: string
  readonly pair: string
}
