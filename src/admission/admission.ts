import { ByteBudget } from './byte-budget.ts'
import { Slots } from './slots.ts'
import { Requests } from './requests.ts'
import { dividedUsually, type ShareLimits } from './shares.ts'
import { Turns } from './turns.ts'

export interface AdmissionLimits {
  /** Concurrent requests. */
  readonly requests: number
  /** Concurrent expensive requests (`Cost`). */
  readonly expensive: number
  /** Git processes for clients, by kind. */
  readonly fetches: number
  readonly pushes: number
  readonly archives: number
  /** Concurrent downloads of large files from repositories. */
  readonly downloads: number
  /** Maximum number of requests that wait for a slot of one kind, and their maximum wait in milliseconds. */
  readonly maxWaiting: number
  readonly waitMs: number
  /** Bytes of request and response bodies in memory, and the largest single body. */
  readonly heldBytes: number
  readonly maxBodyBytes: number
  /** Bytes of fetches spooled to disk for slow clients. */
  readonly spoolBytes: number
}

/**
 * The shared limits and who may use how much of them: the only place that counts, by account, address and repository
 * (`docs/decisions/0026-fair-shares.md`). Each process counts its own use.
 */
export class Admission {
  readonly requests: Requests
  readonly turns = new Turns()
  readonly expensive: Slots
  readonly fetches: Slots
  readonly pushes: Slots
  readonly archives: Slots
  readonly downloads: Slots
  readonly bytes: ByteBudget
  readonly spool: ByteBudget

  constructor(limits: AdmissionLimits) {
    const { maxWaiting, waitMs } = limits
    const slots = (total: number, what: string, code: string): Slots =>
      new Slots({ what, code, limits: dividedUsually(total), maxWaiting, waitMs })
    this.requests = new Requests(limits.requests)
    this.expensive = slots(limits.expensive, 'expensive requests', 'expensive_busy')
    this.fetches = slots(limits.fetches, 'fetches', 'fetches_busy')
    this.pushes = slots(limits.pushes, 'pushes', 'pushes_busy')
    this.archives = slots(limits.archives, 'archives', 'archives_busy')
    this.downloads = slots(limits.downloads, 'downloads of large files', 'downloads_busy')
    this.bytes = new ByteBudget(byteShares(limits.heldBytes, limits.maxBodyBytes))
    this.spool = new ByteBudget(dividedUsually(limits.spoolBytes))
  }

  /** Current use and queue length, by kind. */
  counts(): Readonly<Record<'requests' | SlotKind, { readonly taken: number; readonly waiting: number }>> {
    const of = ({ taken, waiting }: Slots) => ({ taken, waiting })
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

/** The kinds of slots. */
export type SlotKind = 'expensive' | 'fetches' | 'pushes' | 'archives' | 'downloads'

/** A share is a third of the total, and at least one body of the largest size. */
function byteShares(totalBytes: number, maxBodyBytes: number): ShareLimits {
  const one = Math.max(maxBodyBytes, Math.floor(totalBytes / 3))
  const total = Math.max(totalBytes, one)
  const two = Math.max(one, Math.floor((total * 2) / 3))
  return { total, person: one, address: two, guests: two, repository: total, reserved: 0 }
}
