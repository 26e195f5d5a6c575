import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { locationOf } from './location.ts'

/** Maximum number of connections. */
const maxConnections = 256

/** Timeout of a request, in milliseconds. */
const requestMs = 10_000

/**
 * Listens for plain HTTP and redirects each request to the same path at the public address. The `Host` header of the
 * request never decides where a client is sent.
 * @param siteUrl gives the public address of the instance, which ends with `/`
 */
export class HttpsRedirect {
  readonly #server: Server

  constructor(siteUrl: () => string) {
    this.#server = createServer({ headersTimeout: requestMs, requestTimeout: requestMs }, (request, response) => {
      const { origin } = new URL(siteUrl())
      const path = request.url?.startsWith('/') === true ? request.url : '/'
      // 307 keeps method and body, and clients do not cache it.
      response.writeHead(307, { location: locationOf(origin + path), 'content-length': 0, connection: 'close' }).end()
    })
    this.#server.maxConnections = maxConnections
  }

  async listen(host: string, port: number): Promise<AddressInfo> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return this.#server.address() as AddressInfo
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
