import type { Claim } from './claim.ts'
import { RecentUse } from '../lib/recent-use.ts'
import { requestsBusy } from './requests.ts'
import { personOf } from './shares.ts'

/**
 * How long requests are started in one turn of the event loop, in milliseconds. The loop accepts one connection in each
 * turn, and each wait of a running request costs at least one, so that long turns delay everybody.
 */
const sliceMs = 5

/** How long new connections may delay waiting requests, in milliseconds. A turn without requests accepts sooner. */
const acceptingMs = 10

/** Running requests of one address and of all; one that has run longer waits for something else and does not count. */
const maxOfAddress = 8
const maxRunning = 32
const countedMs = 100

/** Maximum number of waiting requests of one person: by default an address may open as many connections. */
const maxLine = 1024

type Person = number | string

/** A request that has its turn. */
export interface Turn {
  /** Charges the time since the start to the client. Later calls do nothing. */
  end(): void
}

interface Running {
  readonly address: string
  readonly person: Person
  readonly sinceMs: number
  isCounted: boolean
}

interface Waiter {
  readonly claim: Claim
  readonly start: (turn: Turn) => void
}

/** What `Turns` needs of the event loop; for tests. */
export interface Loop {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  /** Runs the work in the next turn, after its events. */
  readonly nextTurn: (work: () => void) => void
  /** Runs the work when everything that is ready has run. */
  readonly afterReady: (work: () => void) => void
  readonly afterMs: (work: () => void, ms: number) => void
}

const eventLoop: Loop = {
  now: () => performance.now(),
  nextTurn: (work) => void setImmediate(work),
  // Node runs ticks before microtasks, and a tick from a microtask after all microtasks.
  afterReady: (work) => queueMicrotask(() => process.nextTick(work)),
  afterMs: (work, ms) => void setTimeout(work, ms).unref(),
}

/**
 * Processor time of the main thread, in fair shares. A request that is ready starts at once while the turn of the event
 * loop is short. Otherwise it waits: the next one is of the address with the least recent use, of its person with the least
 * recent use, in the order of arrival.
 */
export class Turns {
  readonly #loop: Loop
  readonly #ofAddress: RecentUse<string>
  readonly #ofPerson: RecentUse<Person>
  /** Waiting requests by address and person. */
  readonly #lines = new Map<string, Map<Person, Waiter[]>>()
  /** Counted requests, oldest first, and their number by address. */
  readonly #running = new Set<Running>()
  readonly #counts = new Map<string, number>()
  #waiting = 0
  /** When this turn may start no more requests; undefined before its first. */
  #endsMs: number | undefined
  /** Whether this turn and the one before accepted a connection, and since when such turns delay requests. */
  #accepted = false
  #isAccepting = false
  #delayedSinceMs: number | undefined
  #isExpiring = false

  constructor(loop: Loop = eventLoop) {
    this.#loop = loop
    this.#ofAddress = new RecentUse(loop.now)
    this.#ofPerson = new RecentUse(loop.now)
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Notes a new connection: others may wait behind it, and the loop accepts one in each turn. */
  accepted(): void {
    this.#accepted = true
    this.#beginTurn()
  }

  /** Starts a request, if it need not wait. */
  tryTake(claim: Claim): Turn | undefined {
    if (this.#waiting > 0 || this.#accepted || this.#isAccepting || !this.#hasRoom(claim.address)) return undefined
    if (this.#endsMs === undefined) this.#beginTurn()
    return this.#loop.now() < (this.#endsMs as number) ? this.#start(claim) : undefined
  }

  /**
   * Waits for a turn.
   * @throws Unavailable when too many requests of the person wait
   */
  take(claim: Claim): Promise<Turn> {
    const { address } = claim
    const person = personOf(claim)
    const persons = this.#lines.get(address) ?? new Map<Person, Waiter[]>()
    this.#lines.set(address, persons)
    const line = persons.get(person) ?? []
    persons.set(person, line)
    if (line.length >= maxLine) throw requestsBusy()
    this.#waiting += 1
    this.#beginTurn()
    return new Promise((start) => line.push({ claim, start }))
  }

  #beginTurn(): void {
    if (this.#endsMs !== undefined) return
    this.#endsMs = this.#loop.now() + sliceMs
    this.#loop.nextTurn(() => this.#serve())
  }

  /** After the events of a turn: starts waiting requests, unless more connections may wait. */
  #serve(): void {
    const nowMs = this.#loop.now()
    this.#isAccepting = this.#accepted
    this.#accepted = false
    this.#endsMs = undefined
    if (this.#isAccepting && this.#waiting > 0 && nowMs - (this.#delayedSinceMs ??= nowMs) < acceptingMs) {
      return this.#beginTurn()
    }
    this.#delayedSinceMs = undefined
    if (this.#waiting === 0) return
    this.#endsMs = nowMs + sliceMs
    this.#step()
  }

  /** Starts one waiting request after another until the turn is over. */
  #step(): void {
    const isOver = this.#loop.now() >= (this.#endsMs as number)
    const next = isOver ? undefined : this.#next()
    if (next !== undefined) {
      next.start(this.#start(next.claim))
      return this.#loop.afterReady(() => this.#step())
    }
    this.#endsMs = undefined
    // Without room, the end of a running request begins the next turn.
    if (isOver && this.#waiting > 0) this.#beginTurn()
  }

  #next(): Waiter | undefined {
    const address = leastOf(this.#lines, (each) => (this.#hasRoom(each) ? this.#ofAddress.of(each) : undefined))
    if (address === undefined) {
      if (this.#waiting > 0) this.#expireLater()
      return undefined
    }
    const persons = this.#lines.get(address) as Map<Person, Waiter[]>
    const person = leastOf(persons, (each) => this.#ofPerson.of(each)) as Person
    const line = persons.get(person) as Waiter[]
    const next = line.shift() as Waiter
    this.#waiting -= 1
    if (line.length === 0) persons.delete(person)
    if (persons.size === 0) this.#lines.delete(address)
    return next
  }

  #hasRoom(address: string): boolean {
    if (this.#running.size < maxRunning && (this.#counts.get(address) ?? 0) < maxOfAddress) return true
    this.#expire()
    return this.#running.size < maxRunning && (this.#counts.get(address) ?? 0) < maxOfAddress
  }

  #start(claim: Claim): Turn {
    const { address } = claim
    const running: Running = { address, person: personOf(claim), sinceMs: this.#loop.now(), isCounted: true }
    this.#running.add(running)
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1)
    return { end: () => this.#release(running) }
  }

  /** Charges a request and counts it no more. */
  #release(running: Running): void {
    if (!running.isCounted) return
    const { address, person, sinceMs } = running
    running.isCounted = false
    this.#running.delete(running)
    const left = (this.#counts.get(address) as number) - 1
    if (left > 0) this.#counts.set(address, left)
    else this.#counts.delete(address)
    const usedMs = Math.min(countedMs, this.#loop.now() - sinceMs)
    this.#ofAddress.note(address, usedMs)
    this.#ofPerson.note(person, usedMs)
    if (this.#waiting > 0) this.#beginTurn()
  }

  #expire(): void {
    const beforeMs = this.#loop.now() - countedMs
    for (const running of this.#running) {
      if (running.sinceMs > beforeMs) return
      this.#release(running)
    }
  }

  /** Requests that run for long may be all that is ahead of the waiting ones. */
  #expireLater(): void {
    if (this.#isExpiring) return
    this.#isExpiring = true
    this.#loop.afterMs(() => {
      this.#isExpiring = false
      this.#expire()
      if (this.#waiting > 0) this.#beginTurn()
    }, countedMs / 4)
  }
}

/** Returns the key with the least amount; keys without one are passed over. */
function leastOf<Key>(map: ReadonlyMap<Key, unknown>, amountOf: (key: Key) => number | undefined): Key | undefined {
  let [found, least]: [Key | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
  for (const key of map.keys()) {
    const amount = amountOf(key)
    if (amount !== undefined && amount < least) [found, least] = [key, amount]
  }
  return found
}
