import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests of one connection that wait for the response before theirs. */
const maxWaiting = 32

/**
 * Runs the requests of a connection one after the other. A client may send further requests before it has read a response;
 * their responses wait anyway, so work on all of them at once would serve nobody.
 */
export class Pipelines {
  readonly #last = new WeakMap<Socket, { readonly response: ServerResponse; waiting: number }>()

  /** Runs the request when the earlier responses of its connection have ended; too many waiting ones end the connection. */
  inTurn(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const before = this.#last.get(socket)
    if (before === undefined || before.response.closed) {
      this.#last.set(socket, { response, waiting: 0 })
      return run()
    }
    const waiting = before.waiting + 1
    if (waiting > maxWaiting) return void socket.destroy()
    const own = { response, waiting }
    this.#last.set(socket, own)
    before.response.once('close', () => {
      own.waiting = 0
      if (!socket.destroyed) run()
    })
  }
}
