import { createHash, generateKeyPairSync, sign as signText } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Answer } from '../testing/client.ts'
import type { Forge } from '../testing/forge.ts'
import { systemClock } from '../lib/time.ts'

const pem = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

export interface Keys {
  readonly publicKey: string
  readonly privateKey: string
}

/** Making a key takes a while, so tests share some. */
const made: Keys[] = []
export const keysOf = (number: number): Keys =>
  (made[number] ??= generateKeyPairSync('rsa', { modulusLength: 2048, ...pem }) as unknown as Keys)
export const ed25519Keys = (): Keys => generateKeyPairSync('ed25519', pem) as unknown as Keys

/** What the settings of a forge need so that it deals with peers on this machine. */
export const federationSettings = { ENABLED: true, ALLOWED_HOST_LIST: 'loopback' } as const

export interface PeerActor {
  readonly id: string
  readonly keyId: string
  readonly keys: Keys
  readonly document: Record<string, unknown>
}

export interface PeerRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into activities whose shape they state themselves
  readonly json: any
}

/** How a request differs from one that is signed as it should be. */
export interface SignOptions {
  readonly keyId?: string
  readonly keys?: Keys
  readonly algorithm?: string
  /** Names of the signed headers (draft-cavage), or of the components (RFC 9421). */
  readonly covered?: readonly string[]
  readonly date?: Date
  /** The body that the digest is of. */
  readonly digestOf?: string
  readonly form?: 'cavage' | 'rfc9421'
  /** The host that is signed. */
  readonly host?: string
}

const contexts = ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1']

export const activityJson = 'application/activity+json'

/** Another server of the federation, written from the public specifications, whose answers a test decides. */
export class Peer implements AsyncDisposable {
  readonly seen: PeerRequest[] = []
  readonly documents = new Map<string, unknown>()
  /** Answers before the documents do; false leaves it to them. */
  intercept: (request: PeerRequest, response: ServerResponse) => boolean = () => false
  readonly #server: Server

  private constructor(
    server: Server,
    readonly software: string,
  ) {
    this.#server = server
  }

  static async start(software = 'forgejo', host = '127.0.0.1'): Promise<Peer> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '', headers } = request
        const seen = { method, path: url, headers, json: body.startsWith('{') ? JSON.parse(body) : undefined }
        peer.seen.push(seen)
        if (peer.intercept(seen, response)) return
        const found = method === 'GET' ? peer.documents.get(url) : undefined
        if (method === 'POST') return void response.writeHead(202).end()
        if (found === undefined) return void response.writeHead(404).end()
        response.writeHead(200, { 'content-type': activityJson }).end(JSON.stringify(found))
      })
    })
    const peer = new Peer(server, software)
    await once(server.listen(0, host), 'listening')
    const links = [{ rel: 'http://nodeinfo.diaspora.software/ns/schema/2.1', href: `${peer.url}/nodeinfo` }]
    peer.documents.set('/.well-known/nodeinfo', { links })
    peer.documents.set('/nodeinfo', { version: '2.1', software: { name: software, version: '1' } })
    return peer
  }

  get host(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `${address}:${port}`
  }

  get url(): string {
    return `http://${this.host}`
  }

  /** Activities that came to an inbox. */
  received(type?: string): PeerRequest[] {
    return this.seen.filter(({ method, json }) => method === 'POST' && (type === undefined || json?.type === type))
  }

  requestCount(path: string): number {
    return this.seen.filter((request) => request.method === 'GET' && request.path === path).length
  }

  /** An actor of this server; `changes` go into its document. */
  actor(name: string, options: { path?: string; keys?: Keys; changes?: Record<string, unknown> } = {}): PeerActor {
    const path = options.path ?? `/api/v1/activitypub/user-id/${this.documents.size + 1}`
    const keys = options.keys ?? keysOf(0)
    const id = this.url + path
    const keyId = `${id}#main-key`
    const document: Record<string, unknown> = {
      '@context': contexts,
      id,
      type: 'Person',
      preferredUsername: name,
      name,
      url: `${this.url}/${name}`,
      inbox: `${id}/inbox`,
      outbox: `${id}/outbox`,
      publicKey: { id: keyId, owner: id, publicKeyPem: keys.publicKey },
      ...options.changes,
    }
    this.documents.set(path, document)
    return { id, keyId, keys, document }
  }

  /** The actor of the server itself. */
  application(options: { keys?: Keys; changes?: Record<string, unknown> } = {}): PeerActor {
    const { changes, ...rest } = options
    return this.actor('server', { ...rest, path: '/actor', changes: { type: 'Application', ...changes } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** The headers that sign a request to a forge. */
export function sign(
  forge: Pick<Forge, 'url'>,
  actor: PeerActor,
  method: string,
  path: string,
  body: string | undefined,
  options: SignOptions = {},
): Record<string, string> {
  const url = new URL(forge.url + path)
  const host = options.host ?? url.host
  const date = options.date ?? new Date(systemClock.nowMs())
  const keys = options.keys ?? actor.keys
  const keyId = options.keyId ?? actor.keyId
  const digest = createHash('sha256')
    .update(options.digestOf ?? body ?? '')
    .digest('base64')
  const kind = keys.publicKey.length > 200 ? 'sha256' : null
  const signed = (what: string) => signText(kind, Buffer.from(what), keys.privateKey).toString('base64')
  if (options.form === 'rfc9421') {
    const contentDigest = `sha-256=:${digest}:`
    const covered = options.covered ?? ['@method', '@target-uri', ...(body === undefined ? [] : ['content-digest'])]
    const value: Record<string, string> = {
      '@method': method,
      '@target-uri': `${url.protocol}//${host}${url.pathname}${url.search}`,
      '@authority': host,
      '@path': url.pathname,
      'content-digest': contentDigest,
    }
    const algorithm = options.algorithm === undefined ? '' : `;alg="${options.algorithm}"`
    const names = covered.map((name) => `"${name}"`).join(' ')
    const params = `(${names});created=${Math.floor(date.getTime() / 1000)};keyid="${keyId}"${algorithm}`
    const base = [...covered.map((name) => `"${name}": ${value[name]}`), `"@signature-params": ${params}`].join('\n')
    return {
      ...(body === undefined ? {} : { 'content-digest': contentDigest }),
      'signature-input': `sig=${params}`,
      signature: `sig=:${signed(base)}:`,
    }
  }
  const covered = options.covered ?? ['(request-target)', 'host', 'date', ...(body === undefined ? [] : ['digest'])]
  const headers: Record<string, string> = { date: date.toUTCString() }
  if (body !== undefined) headers['digest'] = `SHA-256=${digest}`
  const value: Record<string, string | undefined> = {
    ...headers,
    host,
    '(request-target)': `${method.toLowerCase()} ${url.pathname}${url.search}`,
  }
  const base = covered.map((name) => `${name}: ${value[name]}`).join('\n')
  const algorithm = options.algorithm ?? 'rsa-sha256'
  headers['signature'] =
    `keyId="${keyId}",algorithm="${algorithm}",headers="${covered.join(' ')}",signature="${signed(base)}"`
  return headers
}

/** Sends a signed request as an actor of a peer, below the API's root. */
export async function sendAs(
  forge: Forge,
  actor: PeerActor,
  method: string,
  path: string,
  body?: unknown,
  options: SignOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const raw = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { ...sign(forge, actor, method, `/api/v1${path}`, raw, options), ...options.headers }
  return raw === undefined
    ? forge.guest.send(method, path, undefined, { headers })
    : forge.guest.send(method, path, undefined, { raw, headers: { 'content-type': activityJson, ...headers } })
}

/** The id of a repository of a forge. */
export const repoIdOf = async (forge: Forge, api: string): Promise<number> =>
  (await forge.as('root').must('GET', api)).json.id
