import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { AuthContext, Connection, PublicKeyAuthContext, Server, ServerChannel, Session } from 'ssh2'
import type { Services } from '../../access/context.ts'
import type { Door } from '../../access/feature.ts'
import { transaction } from '../../db/database.ts'
import { AddressCounts } from '../../http/address-counts.ts'
import { clientAddresses, shareOfAddress, trustedProxiesOf } from '../../http/client-address.ts'
import type { Turn } from '../../admission/turns.ts'
import { Refusal } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { openHostKeys } from './ssh-host-keys.ts'
import { findCertified } from './certificate-sign-in.service.ts'
import { findKeyByFingerprint, findKeyOwner, updateKeyUsed } from './ssh-key.store.ts'
import { fingerprintOf, provesKey, provesKeyAsSent } from '../../secrets/ssh-public-key.ts'
import { runSshCommand, type SshCaller, type SshRequest } from './ssh-session.service.ts'

/** Sign-in attempts per connection; an agent offers its keys one by one. */
const maxAuthTries = 32
/** Concurrent commands per connection, as in OpenSSH. */
const maxSessions = 10
/** A connection without a command closes after this time, in milliseconds. */
const idleConnectionMs = 60_000
/** A client that reads less than this in this time has stalled; keepalives are smaller. */
const stalledBytes = 2048
const stalledMs = 60_000
/** Shortest interval between updates of a key's last use, in seconds. */
const usedNoteSeconds = 60

/** A connection from its first byte. */
class Link {
  /** Aborted when the client disconnects. */
  readonly gone = new AbortController()
  /** Running commands. */
  readonly running = new Set<Promise<void>>()
  readonly socket: Socket
  caller: SshCaller | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(socket: Socket, authTimeoutMs: number) {
    this.socket = socket
    this.cutIn(authTimeoutMs)
    socket.once('close', () => {
      clearTimeout(this.#idle)
      this.gone.abort()
    })
    // The `close` event handles a broken connection.
    socket.on('error', () => undefined)
  }

  /** Closes the connection unless the timer is reset. */
  cutIn(ms: number): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.socket.destroy(), ms)
  }

  /** Keeps the connection open while a command runs. */
  during(command: Promise<void>): void {
    clearTimeout(this.#idle)
    this.running.add(command)
    void command.finally(() => {
      this.running.delete(command)
      if (this.running.size === 0 && !this.socket.destroyed) this.cutIn(idleConnectionMs)
    })
  }
}

/**
 * Starts the built-in SSH server; port 0 takes a free port. Closing it ends running commands except accepted pushes;
 * the deadline ends all of them.
 */
export async function startSshServer(services: Services): Promise<Door> {
  const { config } = services
  const hostKeys = await openHostKeys(services)
  hostKeys.all.catch((error: unknown) =>
    services.log('error', 'SSH is unavailable: generating a host key failed', { error }),
  )
  const links = new Map<string, Link>()
  const stop = new AbortController()
  const addresses = clientAddresses(trustedProxiesOf(config.security))
  const ofAddress = new AddressCounts(Math.max(1, Math.floor(config.ingot.maxSshConnections / 2)), (address) =>
    addresses.isTrusted(address),
  )
  let protocol: Promise<Server> | undefined
  /** Loaded for the first client, because it takes memory. The client also waits for the host keys. */
  const loadProtocol = async (): Promise<Server> => {
    const [{ default: ssh }, keys] = await Promise.all([import('ssh2'), hostKeys.all])
    return new ssh.Server({ hostKeys: [...keys], ident: 'Ingot' }, (client, { ip, port }) => {
      const link = links.get(`${ip} ${port}`)
      if (link) serve(services, link, client, stop.signal)
      else client.end()
    })
  }
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    if (!ofAddress.tryAdd(socket)) return void socket.destroy()
    const name = `${socket.remoteAddress} ${socket.remotePort}`
    links.set(name, new Link(socket, config.ingot.sshAuthTimeout))
    socket.once('close', () => links.delete(name))
    cutWhenStuck(socket, config.server.sshPerWriteTimeout)
    protocol ??= loadProtocol()
    Promise.all([protocol, takeTurn(services, socket)]).then(
      ([loaded, turn]) => {
        // Keys are exchanged on the main thread.
        socket.once('close', () => turn.end())
        if (socket.destroyed) turn.end()
        else loaded.injectSocket(socket)
      },
      (error: Error) => socket.destroy(error),
    )
  })
  server.maxConnections = config.ingot.maxSshConnections
  server.listen(config.server.sshListenPort, config.server.sshListenHost || undefined)
  await once(server, 'listening')

  return {
    ports: { ssh: (server.address() as AddressInfo).port },
    async close(deadlineMs) {
      const closed = once(server, 'close')
      server.close()
      stop.abort()
      const work = [...links.values()].flatMap((link) => [...link.running])
      for (const link of links.values()) if (link.running.size === 0) link.socket.destroy()
      const late = setTimeout(() => {
        for (const link of links.values()) link.socket.destroy()
      }, deadlineMs)
      await Promise.all(work)
      for (const link of links.values()) link.socket.end()
      await closed
      clearTimeout(late)
      // The data folder may be removed after closing, so keys under construction are awaited.
      await Promise.allSettled([hostKeys.all])
    },
  }
}

/**
 * Waits for a share of the main thread for the address of a client, whose account is unknown before it signs in.
 * @throws Unavailable when too much of the address waits
 */
async function takeTurn({ admission }: Services, { remoteAddress = '' }: Socket): Promise<Turn> {
  const address = shareOfAddress(remoteAddress)
  const claim = { viewer: undefined, isAdmin: false, address, repository: undefined }
  return admission.turns.tryTake(claim) ?? admission.turns.take(claim)
}

async function inTurn(services: Services, socket: Socket, work: () => Promise<void>): Promise<void> {
  const turn = await takeTurn(services, socket)
  try {
    await work()
  } finally {
    turn.end()
  }
}

/** Closes a connection that has data to send when the client reads nothing for a whole interval. */
function cutWhenStuck(socket: Socket, intervalMs: number): void {
  let taken = -1
  const look = setInterval(() => {
    const now = socket.bytesWritten - socket.writableLength
    if (socket.writableLength > 0 && now === taken) socket.destroy()
    taken = now
  }, intervalMs)
  look.unref()
  socket.once('close', () => clearInterval(look))
}

function serve(services: Services, link: Link, client: Connection, stop: AbortSignal): void {
  client.on('error', (error: Error) => services.log('debug', 'an SSH connection broke', { error: error.message }))
  let tries = 0
  client.on('authentication', (attempt) => {
    tries += 1
    if (tries > maxAuthTries) {
      client.end()
      return
    }
    inTurn(services, link.socket, () => authenticate(services, link, attempt)).catch((error: unknown) => {
      if (!(error instanceof Refusal)) services.log('error', 'an SSH sign-in failed', { error })
      attempt.reject(['publickey'])
    })
  })
  client.on('ready', () => {
    link.cutIn(idleConnectionMs)
    client.on('session', (accept, reject) => {
      if (link.running.size >= maxSessions) reject()
      else serveSession(services, link, accept(), stop)
    })
  })
}

const isKeyAttempt = (attempt: AuthContext): attempt is PublicKeyAuthContext => attempt.method === 'publickey'

/** Accepts a client that proves a known key under the configured user name. Commands check the state of the account. */
async function authenticate(services: Services, link: Link, attempt: AuthContext): Promise<void> {
  const refuse = (): void => attempt.reject(['publickey'])
  if (!isKeyAttempt(attempt) || attempt.username !== services.config.server.builtinSshServerUser) return refuse()
  const { key: offered, signature, blob, hashAlgo } = attempt
  const key = await findKeyByFingerprint(services.db, fingerprintOf(offered.data))
  if (!key) return authenticateByCertificate(services, link, attempt)
  // Without a signature the client asks whether the key is acceptable.
  if (!signature || !blob) return attempt.accept()
  if (!provesKey(offered.data, { signed: blob, signature, hashAlgorithm: hashAlgo })) return refuse()
  const user = key.owner_id === null ? undefined : await findKeyOwner(services.db, key.owner_id)
  if (key.owner_id !== null && !user) return refuse()
  await transaction(services.db, (tx) => updateKeyUsed(tx, key.id, nowUnix(services.clock), usedNoteSeconds))
  link.caller = { key, user }
  attempt.accept()
}

/** Accepts a client that proves the key of a trusted certificate. */
async function authenticateByCertificate(services: Services, link: Link, attempt: PublicKeyAuthContext): Promise<void> {
  const { key: offered, signature, blob } = attempt
  const certified = await findCertified(services, offered.data, link.socket.remoteAddress ?? '')
  if (!certified) return attempt.reject(['publickey'])
  if (!signature || !blob) return attempt.accept()
  // ssh2 does not know certificates and passes the signature on unchanged.
  if (!provesKeyAsSent(certified.certificate.key, blob, signature)) return attempt.reject(['publickey'])
  link.caller = certified
  attempt.accept()
}

function serveSession(services: Services, link: Link, session: Session, stop: AbortSignal): void {
  let protocol: string | undefined
  // ssh2 passes no callbacks when the client wants no reply.
  session.on('env', (accept: (() => void) | undefined, reject: (() => void) | undefined, { key, val }) => {
    if (key !== 'GIT_PROTOCOL') return reject?.()
    protocol = val
    accept?.()
  })
  const begin = (channel: ServerChannel, command: string | undefined): void =>
    link.during(runOn(services, link, channel, { command, protocol }, stop))
  session.on('shell', (accept) => begin(accept(), undefined))
  session.on('exec', (accept, _reject, { command }) => begin(accept(), command))
}

async function runOn(
  services: Services,
  link: Link,
  channel: ServerChannel,
  wanted: Omit<SshRequest, 'signal' | 'address'>,
  stop: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  channel.once('close', () => ended.abort())
  channel.on('error', () => undefined)
  const gone = AbortSignal.any([ended.signal, link.gone.signal])
  const request = { ...wanted, address: link.socket.remoteAddress ?? '', signal: AbortSignal.any([gone, stop]) }
  const status = await runSshCommand(services, link.caller as SshCaller, request, {
    input: channel,
    output: channel,
    errors: channel.stderr,
  })
  if (gone.aborted) return
  channel.exit(status)
  channel.end()
  await taken(link, channel, gone)
}

/** Waits until the client has read the whole answer; closes the connection when the client reads nothing. */
async function taken(link: Link, channel: ServerChannel, signal: AbortSignal): Promise<void> {
  const { socket } = link
  let seen = socket.bytesWritten
  const look = setInterval(() => {
    if (socket.bytesWritten - seen < stalledBytes) socket.destroy()
    seen = socket.bytesWritten
  }, stalledMs)
  const flushed = new Promise((resolve) => channel.once('finish', resolve))
  const gone = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  if (!channel.writableFinished && !signal.aborted) await Promise.race([flushed, gone])
  clearInterval(look)
}
