import type { Exchange } from './described.ts'
import { sendWhole } from './exchange.ts'
import { basicAuthorization } from './samples.ts'

/** Credentials of a request; undefined for a guest. */
export interface Credentials {
  readonly token?: string
  readonly basic?: { readonly login: string; readonly password: string }
}

/** A complete reply. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Buffer
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into replies whose shape they state themselves
  readonly json: any
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the path is relative to the site root instead of the API. */
  readonly site?: boolean
  /** Body to send unchanged; the content type is among `headers`. */
  readonly raw?: string | Uint8Array | FormData
  readonly signal?: AbortSignal
}

/** Sends requests to a forge as one account, without following redirects. */
export class ForgeClient {
  constructor(
    readonly url: string,
    readonly credentials: () => Promise<Credentials>,
    /** Throws when a reply differs from the description of the API. */
    readonly check: (exchange: Exchange) => void = () => {},
  ) {}

  get = (path: string, options?: SendOptions): Promise<Answer> => this.send('GET', path, undefined, options)
  post = (path: string, body?: unknown, options?: SendOptions): Promise<Answer> =>
    this.send('POST', path, body, options)
  put = (path: string, body?: unknown, options?: SendOptions): Promise<Answer> => this.send('PUT', path, body, options)
  patch = (path: string, body?: unknown, options?: SendOptions): Promise<Answer> =>
    this.send('PATCH', path, body, options)
  delete = (path: string, body?: unknown, options?: SendOptions): Promise<Answer> =>
    this.send('DELETE', path, body, options)

  async send(method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Answer> {
    const { token, basic } = await this.credentials()
    const headers = new Headers(options.headers)
    if (token && !headers.has('authorization')) headers.set('authorization', `token ${token}`)
    if (basic && !headers.has('authorization')) {
      headers.set('authorization', basicAuthorization(basic.login, basic.password))
    }
    if (body !== undefined) headers.set('content-type', 'application/json')
    const address = (options.site ? '' : '/api/v1') + path
    const sent = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await sendWhole(new URL(this.url + address), method, headers, sent, options.signal)
    const { status, bytes } = response
    const text = bytes.toString('utf8')
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const json = isJson ? JSON.parse(text) : undefined
    this.check({ method, path: address, status, json })
    return { status, headers: response.headers, bytes, text, json }
  }

  /** Like `send`, but throws unless the reply is a success. */
  async must(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer> {
    const answer = await this.send(method, path, body, options)
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`)
    }
    return answer
  }
}
