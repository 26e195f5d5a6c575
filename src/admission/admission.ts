import { ByteBudget } from './byte-budget.ts'
import { Places } from './places.ts'
import { Requests } from './requests.ts'
import { dividedUsually, type ShareLimits } from './shares.ts'

export interface AdmissionLimits {
  /** Requests under way. */
  readonly requests: number
  /** Of them, those that cost much (`Load`). */
  readonly expensive: number
  /** Git processes of each kind for clients. */
  readonly fetches: number
  readonly pushes: number
  readonly archives: number
  /** Large files of repositories that clients are reading. */
  readonly downloads: number
  /** Most that wait for a place of one kind, and for how long in milliseconds. */
  readonly maxWaiting: number
  readonly waitMs: number
  /** Bytes of bodies and answers in memory, of all requests, and largest single body. */
  readonly heldBytes: number
  readonly maxBodyBytes: number
  /** Bytes of fetches on the disk that wait for slow clients. */
  readonly spoolBytes: number
}

/**
 * Who may have how much of what all need: the one place where it is counted, by account, address and repository
 * (`docs/decisions/0030-fair-shares.md`). Each process counts its own.
 */
export class Admission {
  readonly requests: Requests
  readonly expensive: Places
  readonly fetches: Places
  readonly pushes: Places
  readonly archives: Places
  readonly downloads: Places
  readonly bytes: ByteBudget
  readonly spool: ByteBudget

  constructor(limits: AdmissionLimits) {
    const { maxWaiting, waitMs } = limits
    const places = (total: number, what: string, code: string): Places =>
      new Places({ what, code, limits: dividedUsually(total), maxWaiting, waitMs })
    this.requests = new Requests(limits.requests)
    this.expensive = places(limits.expensive, 'expensive requests', 'expensive_busy')
    this.fetches = places(limits.fetches, 'fetches', 'fetches_busy')
    this.pushes = places(limits.pushes, 'pushes', 'pushes_busy')
    this.archives = places(limits.archives, 'archives', 'archives_busy')
    this.downloads = places(limits.downloads, 'downloads of large files', 'downloads_busy')
    this.bytes = new ByteBudget(byteShares(limits.heldBytes, limits.maxBodyBytes))
    this.spool = new ByteBudget(dividedUsually(limits.spoolBytes))
  }

  /** What is taken and waited for now, by kind. */
  counts(): Readonly<Record<'requests' | PlacesKind, { readonly taken: number; readonly waiting: number }>> {
    const of = ({ taken, waiting }: Places) => ({ taken, waiting })
    return {
      requests: { taken: this.requests.underWay, waiting: 0 },
      expensive: of(this.expensive),
      fetches: of(this.fetches),
      pushes: of(this.pushes),
      archives: of(this.archives),
      downloads: of(this.downloads),
    }
  }
}

/** The kinds of places. */
export type PlacesKind = 'expensive' | 'fetches' | 'pushes' | 'archives' | 'downloads'

/** One share has room for one body of the largest kind, and is a third of all at most otherwise. */
function byteShares(totalBytes: number, maxBodyBytes: number): ShareLimits {
  const one = Math.max(maxBodyBytes, Math.floor(totalBytes / 3))
  const total = Math.max(totalBytes, one)
  const two = Math.max(one, Math.floor((total * 2) / 3))
  return { total, person: one, address: two, guests: two, repository: total, reserved: 0 }
}
