import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that reached a receiver. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads whose shape they state themselves
  readonly json: any
}

/** Answers a request; what it throws or leaves open is the sender's problem. */
export type Answering = (request: Received, response: ServerResponse) => void

/** A receiver of webhooks on this machine, whose answers a test decides. */
export class Receiver implements AsyncDisposable {
  readonly got: Received[] = []
  answer: Answering
  readonly #server: Server

  private constructor(server: Server, answer: Answering) {
    this.#server = server
    this.answer = answer
  }

  static async start(answer: Answering = answerWith(200)): Promise<Receiver> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const received = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body,
          json: body.startsWith('{') ? JSON.parse(body) : undefined,
        }
        receiver.got.push(received)
        receiver.answer(received, response)
      })
    })
    const receiver = new Receiver(server, answer)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** The ids under which deliveries came, in their order. */
  get ids(): string[] {
    return this.got.map(({ headers }) => String(headers['x-gitea-delivery']))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export const answerWith =
  (status: number, body = 'ok', headers: Record<string, string> = {}): Answering =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)
