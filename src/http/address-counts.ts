import type { Socket } from 'node:net'
import { shareOfAddress } from './client-address.ts'

/** Counts open connections by address, or by network for IPv6. */
export class AddressCounts {
  readonly #max: number
  readonly #isTrusted: (address: string) => boolean
  readonly #counts = new Map<string, number>()

  /**
   * @param max connections of one address
   * @param isTrusted whether an address belongs to a trusted proxy, which many clients share
   */
  constructor(max: number, isTrusted: (address: string) => boolean) {
    this.#max = max
    this.#isTrusted = isTrusted
  }

  /** Counts a connection until it closes; returns false when its address has too many. */
  tryAdd(socket: Socket): boolean {
    const peer = socket.remoteAddress ?? ''
    const address = shareOfAddress(peer)
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#max && !this.#isTrusted(peer)) return false
    this.#counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (this.#counts.get(address) ?? 1) - 1
      if (left > 0) this.#counts.set(address, left)
      else this.#counts.delete(address)
    })
    return true
  }
}
