import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { AddressCounts } from './address-counts.ts'

/** Time in which an excess connection must send the request that is refused, in milliseconds. */
const lastRequestMs = 5000

/** Maximum number of excess connections that wait for their request. */
const maxRefused = 128

/**
 * Counts open connections in total and per address. One address may open a quarter of them, unless it belongs to a trusted
 * proxy. The first request of an excess connection gets 503, except for health checks, and closes it.
 */
export class Connections {
  readonly #total: number
  readonly #ofAddress: AddressCounts
  /** Excess sockets. A TLS request knows only its own end, so both ends of the address are kept. */
  readonly #tooMany = new WeakSet<Socket>()
  readonly #tooManyEndpoints = new Set<string>()
  #open = 0

  /** @param isTrusted whether an address belongs to a trusted proxy, which many clients share */
  constructor(server: Server, total: number, isTrusted: (address: string) => boolean) {
    this.#total = total
    this.#ofAddress = new AddressCounts(Math.max(1, Math.floor(total / 4)), isTrusted)
    server.maxConnections = total + maxRefused
    server.on('connection', (socket) => this.#count(socket))
  }

  /** Returns whether the request came over an excess connection. */
  isTooMany(socket: Socket): boolean {
    return this.#tooMany.has(socket) || this.#tooManyEndpoints.has(endpointOf(socket))
  }

  #count(socket: Socket): void {
    if (this.#open >= this.#total || !this.#ofAddress.tryAdd(socket)) {
      const endpoint = endpointOf(socket)
      this.#tooMany.add(socket)
      if (endpoint !== '') this.#tooManyEndpoints.add(endpoint)
      const timer = setTimeout(() => socket.destroy(), lastRequestMs)
      socket.once('close', () => {
        clearTimeout(timer)
        this.#tooManyEndpoints.delete(endpoint)
      })
      return
    }
    this.#open += 1
    socket.once('close', () => (this.#open -= 1))
  }
}

/** Returns address and port of the client; empty on a Unix socket. */
const endpointOf = ({ remoteAddress, remotePort }: Socket): string =>
  remotePort === undefined ? '' : `${remoteAddress} ${remotePort}`
