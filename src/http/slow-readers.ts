import type { ServerResponse } from 'node:http'

/** How often answers are looked at, in milliseconds. */
const lookMs = 10_000

interface Watched {
  /** Bytes that the client had taken when it was last looked at. */
  taken: number
  /** For how many looks in a row it took too little. */
  strikes: number
}

/**
 * Cuts clients that ask for much and take next to nothing of it: what is sent to them waits in memory, and what makes it
 * waits for them. A client that takes everything that is there is never slow, however little that is.
 */
export class SlowReaders {
  readonly #watched = new Map<ServerResponse, Watched>()
  readonly #minBytes: number
  readonly #maxStrikes: number
  #timer: NodeJS.Timeout | undefined

  /**
   * @param windowMs time after which a client is cut
   * @param minBytesPerSecond that a client must take on average, while there are more for it
   */
  constructor(windowMs: number, minBytesPerSecond: number) {
    const everyMs = Math.min(lookMs, windowMs)
    this.#minBytes = Math.max(1, (minBytesPerSecond * everyMs) / 1000)
    this.#maxStrikes = Math.max(1, Math.round(windowMs / everyMs))
    this.#everyMs = everyMs
  }

  readonly #everyMs: number

  /** Watches an answer until it is sent or its connection closes. */
  watch(response: ServerResponse): void {
    if (response.closed || response.writableFinished) return
    this.#watched.set(response, { taken: takenOf(response), strikes: 0 })
    const forget = (): void => {
      this.#watched.delete(response)
      if (this.#watched.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    // `close` always follows, but late on a kept-alive connection.
    response.once('finish', forget)
    response.once('close', forget)
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref()
  }

  #look(): void {
    for (const [response, watched] of this.#watched) {
      const taken = takenOf(response)
      const isSlow = response.writableLength > 0 && taken - watched.taken < this.#minBytes
      watched.taken = taken
      watched.strikes = isSlow ? watched.strikes + 1 : 0
      if (watched.strikes >= this.#maxStrikes) response.destroy()
    }
  }
}

/** The bytes of a connection that the operating system has accepted. */
function takenOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength
}
