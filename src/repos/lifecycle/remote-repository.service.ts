import { isIP } from 'node:net'
import type { Services } from '../../access/context.ts'
import type { ObjectFormat } from '../../git/git.ts'
import { Invalid, Refusal } from '../../lib/errors.ts'
import type { GitKey } from '../../lib/ids.ts'
import type { PushedUpdate } from '../../git/git.ts'
import { migrationClient } from './migration-client.ts'
import type { RemoteAddress, RemoteCredentials } from './remote-address.rules.ts'

/** A repository of another server that answered. */
export interface RemoteRepository extends RemoteAddress {
  readonly objectFormat: ObjectFormat
  /** What its HEAD names; undefined when it does not say, as an empty one. */
  readonly defaultBranch: string | undefined
}

/** Redirects that are followed to find a repository; each is checked like the first address. */
const maxRedirects = 5

/** The first reference and what follows it are enough of an advertisement. */
const maxAdvertisementBytes = 65_536

const askedPath = '/info/refs?service=git-upload-pack'

/**
 * Asks another server for a repository, so that it is known before anything is made here: whether it is there, opens
 * with the credentials, and what its default branch and object format are. Throws `Invalid` with the reason, also for
 * addresses that `[migrations]` does not allow.
 */
export async function lookAtRemote(
  services: Services,
  address: RemoteAddress,
  signal?: AbortSignal,
): Promise<RemoteRepository> {
  const reply = await asInvalid(
    migrationClient.of(services).request(address.url + askedPath, {
      headers: address.credentials === undefined ? {} : { authorization: basicAuth(address.credentials) },
      maxRedirects,
      maxBodyBytes: maxAdvertisementBytes,
      whenTooLarge: 'cut',
      ...(signal ? { signal } : {}),
    }),
  )
  if (reply.status === 401 || reply.status === 403) {
    throw new Invalid('the other server asks for other credentials', 'remote_unauthenticated')
  }
  if (reply.status === 404) throw new Invalid('the other server has no such repository', 'remote_not_found')
  const isGit = String(reply.headers['content-type']).startsWith('application/x-git-upload-pack-advertisement')
  if (reply.status !== 200 || !isGit || !reply.url.endsWith(askedPath)) {
    throw new Invalid(`the address is no git repository (it answered ${reply.status})`, 'remote_no_repository')
  }
  const url = reply.url.slice(0, -askedPath.length)
  const moved = new URL(url).origin !== new URL(address.url).origin
  return { url, credentials: moved ? undefined : address.credentials, ...readAdvertisement(reply.body) }
}

/** The capabilities stand behind a zero byte after the first reference (gitprotocol-http, reference discovery). */
function readAdvertisement(body: Buffer): Pick<RemoteRepository, 'objectFormat' | 'defaultBranch'> {
  const capabilities = / ?[^\0]*\0([^\n]*)\n/.exec(body.toString('utf8'))?.[1]?.split(' ') ?? []
  const valueOf = (name: string): string | undefined =>
    capabilities.find((each) => each.startsWith(name))?.slice(name.length)
  return {
    objectFormat: valueOf('object-format=') === 'sha256' ? 'sha256' : 'sha1',
    defaultBranch: valueOf('symref=HEAD:refs/heads/'),
  }
}

/**
 * Fetches from a repository that was looked at. Git connects to the addresses that are allowed now and no others, and
 * follows no redirect. Whatever goes wrong is `Invalid` with what git said.
 */
export async function fetchFrom(
  services: Services,
  key: GitKey,
  remote: RemoteAddress,
  options: {
    readonly refspecs: readonly string[]
    readonly prune?: boolean
    readonly timeoutMs: number
    readonly signal?: AbortSignal | undefined
  },
): Promise<readonly PushedUpdate[]> {
  const { host, port, addresses } = await asInvalid(migrationClient.of(services).resolve(remote.url))
  try {
    const { updates } = await services.git.fetchRemote(key, {
      url: remote.url,
      refspecs: options.refspecs,
      timeoutMs: options.timeoutMs,
      skipTlsVerify: services.config.migrations.skipTlsVerify,
      // A host that is an address is not looked up.
      ...(isIP(host) === 0 ? { resolve: [`${host}:${port}:${addresses.map(bracketed).join(',')}`] } : {}),
      ...(remote.credentials ? { credentials: remote.credentials } : {}),
      ...(options.prune === undefined ? {} : { prune: options.prune }),
      ...(options.signal ? { signal: options.signal } : {}),
    })
    return updates
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 503 || error.code !== 'git_timeout') throw error
    throw new Invalid('the other server took too long', 'remote_timeout')
  }
}

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

const basicAuth = ({ username, password }: RemoteCredentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Refused addresses, unknown hosts and broken connections are about what the caller asked for. */
export async function asInvalid<Result>(asking: Promise<Result>): Promise<Result> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof Error && error.name === 'OutgoingError') throw new Invalid(error.message, 'remote_unreachable')
    throw error
  }
}
