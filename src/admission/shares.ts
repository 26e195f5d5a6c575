import type { Claim } from './claim.ts'

/** A total limit and its shares. */
export interface ShareLimits {
  readonly total: number
  /** For an account, or the guests of an address. */
  readonly person: number
  /** For everyone at one address. */
  readonly address: number
  /** For all guests. */
  readonly guests: number
  readonly repository: number
  /** Reserved for administrators. */
  readonly reserved: number
}

/** Returns the default shares: a person a quarter, an address a half, all guests and a repository three quarters. */
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

/** Identifies accounts by id and guests by address. */
export const personOf = ({ viewer, address }: Claim): Person => viewer ?? address

/** Current use, in total and by share. It only counts; `Slots` queues. */
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

  /** Returns the current use of a person. */
  heldBy(claim: Claim): number {
    return this.#persons.get(personOf(claim)) ?? 0
  }

  /** Returns whether the amount fits. Only their own share and the total limit administrators. */
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

  /** Takes the amount if it fits. */
  tryAdd(claim: Claim, amount: number): boolean {
    if (!this.fits(claim, amount)) return false
    this.add(claim, amount)
    return true
  }

  /** Counts a taken amount, or a returned one if it is negative. */
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
