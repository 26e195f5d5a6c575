import { connect as connectPlain, isIP, type Socket } from 'node:net'
import type { Client } from 'ldapts'

/** A failed request to a directory. The message is for administrators. */
export class DirectoryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DirectoryError'
  }
}

/** Connection settings of a directory. */
export interface DirectoryAddress {
  readonly host: string
  readonly port: number
  readonly security: 'none' | 'starttls' | 'tls'
  readonly skip_tls_verify: boolean
}

/** An entry: its DN and attribute values by lower-case names. */
export interface Entry {
  readonly dn: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

export interface Search {
  readonly base: string
  readonly filter: string
  readonly attributes: readonly string[]
  /** Whether to search only the base entry. */
  readonly isOne?: boolean
}

/** A connection to a directory. */
export interface Directory {
  /** Binds with a password; returns false when it is wrong or empty. Throws DirectoryError. */
  bind(dn: string, password: string): Promise<boolean>
  /** Returns at most `limit` matching entries. Throws DirectoryError. */
  search(search: Search, limit: number): Promise<Entry[]>
  /** Yields all matching entries in pages. Throws DirectoryError. */
  pages(search: Search, pageSize: number): AsyncGenerator<Entry[]>
}

const connectTimeoutMs = 10_000
const answerTimeoutMs = 20_000
/** Largest number of bytes read from one connection. */
const maxBytes = 256 << 20

/** Opens a connection for `work` and closes it. Throws DirectoryError and the errors of `work`. */
export async function withDirectory<Result>(
  address: DirectoryAddress,
  work: (directory: Directory) => Promise<Result>,
): Promise<Result> {
  const { Client: Ldap, InvalidCredentialsError } = await import('ldapts')
  const { connect: connectSecure } = await import('node:tls')
  const { host, security } = address
  const port = address.port || (security === 'tls' ? 636 : 389)
  const tlsOptions = {
    host,
    rejectUnauthorized: !address.skip_tls_verify,
    ...(isIP(host) !== 0 ? {} : { servername: host }),
  }
  let opened: Socket | undefined
  // The library does not notice a closed connection during the TLS handshake and would wait.
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => undefined)
  // The library reconnects on its own after a closed connection, without StartTLS, and would send passwords in clear
  // text.
  const once = <Made extends Socket>(make: () => Made): Made => {
    if (opened) throw new DirectoryError('the directory closed the connection')
    const socket = boundedSocket(make())
    opened = socket
    socket.once('close', () => gone.reject(new DirectoryError('the directory closed the connection')))
    return socket
  }
  const client = new Ldap({
    url: `${security === 'tls' ? 'ldaps' : 'ldap'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    timeout: answerTimeoutMs,
    connectTimeout: connectTimeoutMs,
    strictDN: false,
    ...(security === 'tls' ? { tlsOptions } : {}),
    createConnection: () => once(() => connectPlain(port, host)),
    createSecureConnection: ((options: { readonly socket?: Socket }) =>
      // StartTLS upgrades the existing connection.
      options.socket === undefined
        ? once(() => connectSecure({ ...tlsOptions, port }))
        : boundedSocket(connectSecure({ ...tlsOptions, socket: options.socket }))) as never,
  })
  const query = async <Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await Promise.race([ask(), gone.promise])
    } catch (error) {
      if (error instanceof InvalidCredentialsError || error instanceof DirectoryError) throw error
      throw new DirectoryError(`${what}: ${Error.isError(error) ? error.message : String(error)}`, { cause: error })
    }
  }
  try {
    if (security === 'starttls') await query('StartTLS', () => client.startTLS(tlsOptions))
    return await work({
      async bind(dn, password) {
        // A bind without a password is anonymous and succeeds (RFC 4513, 5.1.2).
        if (password === '') return false
        try {
          await query('sign in', () => client.bind(dn, password))
          return true
        } catch (error) {
          if (error instanceof InvalidCredentialsError) return false
          throw error
        }
      },
      search: (search, limit) => query('search', () => searchSome(client, search, limit)),
      async *pages(search, pageSize) {
        const pages = client.searchPaginated(search.base, { ...optionsOf(search), paged: { pageSize } })
        for (;;) {
          const { value, done } = await query('search', () => pages.next())
          if (done) return
          yield value.searchEntries.map(entryOf)
        }
      },
    })
  } finally {
    // Closing the socket is enough; an unbind would hang after a failed handshake.
    opened?.destroy()
  }
}

function boundedSocket<Made extends Socket>(socket: Made): Made {
  let read = 0
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length
    if (read > maxBytes) socket.destroy(new DirectoryError(`the directory sent more than ${maxBytes} bytes`))
  })
  return socket
}

const optionsOf = ({ filter, attributes, isOne }: Search) => ({
  scope: isOne === true ? ('base' as const) : ('sub' as const),
  filter,
  // An empty list would request all attributes.
  attributes: attributes.length === 0 ? ['1.1'] : [...new Set(attributes)],
  timeLimit: answerTimeoutMs / 1000,
})

async function searchSome(client: Client, search: Search, limit: number): Promise<Entry[]> {
  const { searchEntries } = await client.search(search.base, { ...optionsOf(search), sizeLimit: limit })
  return searchEntries.slice(0, limit).map(entryOf)
}

const entryOf = ({ dn, ...attributes }: Awaited<ReturnType<Client['search']>>['searchEntries'][number]): Entry => ({
  dn,
  values: Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.toLowerCase(),
      (Array.isArray(value) ? value : [value]).map(String),
    ]),
  ),
})
