import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'

/** Connections are used again: opening one costs more than most requests. */
const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) } as const

/** What `fetch` sends, without a request for compression, which has tests of its own. */
const usualHeaders = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }

/** A reply that has arrived whole. */
export interface WholeReply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/**
 * Sends a request and receives the whole reply, without following redirects. It sends the request that `fetch` sends, at a
 * quarter of the processor time.
 */
export async function sendWhole(
  url: URL,
  method: string,
  given: Headers,
  body: string | Uint8Array | FormData | undefined,
  signal?: AbortSignal,
): Promise<WholeReply> {
  const [content, type] = await encoded(body)
  const headers: Record<string, string | number> = { ...usualHeaders }
  if (type !== undefined) headers['content-type'] = type
  for (const [name, value] of given) headers[name] = value
  // Node frames no body of DELETE by itself.
  if (content !== undefined) headers['content-length'] = content.length
  const protocol = url.protocol as keyof typeof agents
  const { request } = protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers, agent: agents[protocol], ...(signal ? { signal } : {}) },
      (incoming: IncomingMessage) => {
        const parts: Buffer[] = []
        incoming.on('data', (part: Buffer) => parts.push(part))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: headersOf(incoming), bytes: Buffer.concat(parts) }),
        )
      },
    )
    sent.on('error', (error) => reject(new Error(`${method} ${url.pathname}: ${error.message}`, { cause: error })))
    sent.end(content)
  })
}

/** The bytes of a body, and the type that it has when the headers name none. */
async function encoded(
  body: string | Uint8Array | FormData | undefined,
): Promise<[content: Uint8Array | undefined, type: string | undefined]> {
  if (body === undefined) return [undefined, undefined]
  if (typeof body === 'string') return [Buffer.from(body), 'text/plain;charset=UTF-8']
  if (body instanceof Uint8Array) return [body, undefined]
  const form = new Response(body)
  return [new Uint8Array(await form.arrayBuffer()), form.headers.get('content-type') ?? undefined]
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}
