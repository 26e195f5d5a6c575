import type { Claim } from './claim.ts'

/** How much of something there is, and how much of it one may have at once. */
export interface ShareLimits {
  readonly total: number
  /** An account, or an address of guests. */
  readonly person: number
  /** Everybody at one address. */
  readonly address: number
  /** All guests together: who is signed in has the rest. */
  readonly guests: number
  readonly repository: number
  /** What is left for administrators when everything else is taken. */
  readonly reserved: number
}

/** The usual division: one person has a quarter at most, an address half, guests and a repository three quarters. */
export function dividedUsually(total: number): ShareLimits {
  const part = (share: number): number => Math.max(1, Math.floor(total * share))
  return {
    total,
    person: part(1 / 4),
    address: part(1 / 2),
    guests: part(3 / 4),
    repository: part(3 / 4),
    reserved: total < 8 ? 0 : part(1 / 16),
  }
}

type Person = number | string

/** Accounts by their number, guests by their address. */
export const personOf = ({ viewer, address }: Claim): Person => viewer ?? address

/** What is taken now, altogether and of each share. It only counts; who may wait is a matter of `Places`. */
export class Shares {
  #total = 0
  #guests = 0
  readonly #persons = new Map<Person, number>()
  readonly #addresses = new Map<string, number>()
  readonly #repositories = new Map<string, number>()

  constructor(readonly limits: ShareLimits) {}

  get total(): number {
    return this.#total
  }

  /** What somebody has now. */
  heldBy(claim: Claim): number {
    return this.#persons.get(personOf(claim)) ?? 0
  }

  /** Whether so much more may be taken. Administrators are bound by their own share and the total alone. */
  fits(claim: Claim, amount: number): boolean {
    const { limits } = this
    const { address, repository, viewer } = claim
    if (this.heldBy(claim) + amount > limits.person) return false
    if (claim.isAdmin) return this.#total + amount <= limits.total
    if (this.#total + amount > limits.total - limits.reserved) return false
    if ((this.#addresses.get(address) ?? 0) + amount > limits.address) return false
    if (viewer === undefined && this.#guests + amount > limits.guests) return false
    return repository === undefined || (this.#repositories.get(repository) ?? 0) + amount <= limits.repository
  }

  /** Takes so much more, if it fits. */
  tryAdd(claim: Claim, amount: number): boolean {
    if (!this.fits(claim, amount)) return false
    this.add(claim, amount)
    return true
  }

  /** Counts what is taken, or, with a negative amount, what is given back by the same claim. */
  add(claim: Claim, amount: number): void {
    const { address, repository, viewer } = claim
    this.#total += amount
    if (viewer === undefined) this.#guests += amount
    addTo(this.#persons, personOf(claim), amount)
    addTo(this.#addresses, address, amount)
    if (repository !== undefined) addTo(this.#repositories, repository, amount)
  }
}

function addTo<Key>(map: Map<Key, number>, key: Key, amount: number): void {
  const sum = (map.get(key) ?? 0) + amount
  if (sum === 0) map.delete(key)
  else map.set(key, sum)
}
