import { readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Services } from '../../access/context.ts'
import type { BareRef, ObjectFormat } from '../../git/git.ts'
import { Invalid, Refusal } from '../../lib/errors.ts'
import type { GitKey } from '../../lib/ids.ts'
import { inParts } from '../../lib/in-parts.ts'
import { branchRef, fetchedPrefix, zeroOid } from '../../lib/refs.ts'
import { withTemporaryFolder } from '../../lib/temporary-folder.ts'
import type { RemoteFetch, RemotePush } from '../../git/git-remote.ts'
import { migrationClient } from './migration-client.ts'
import { basicAuthorization, parseSshAddress, type RemoteAddress } from './remote-address.rules.ts'

/** A repository on another server, as its advertisement describes it. */
export interface RemoteRepository extends RemoteAddress {
  readonly objectFormat: ObjectFormat
  /** The branch that HEAD names. Undefined: not advertised, such as for an empty repository. */
  readonly defaultBranch: string | undefined
}

/** Largest number of redirects. Each is checked like the first URL. */
const maxRedirects = 5

/** Largest number of bytes that are read of an advertisement. They contain the first reference. */
const maxAdvertisementBytes = 65_536

/** The git service: for reading or for pushing. */
type RemoteUse = 'git-upload-pack' | 'git-receive-pack'

/**
 * Reads the advertisement of a repository on another server and returns its default branch and object format.
 * Throws `Invalid` with the reason, also for URLs that `[migrations]` does not allow.
 */
export async function lookAtRemote(
  services: Services,
  address: RemoteAddress,
  signal?: AbortSignal,
  use: RemoteUse = 'git-upload-pack',
): Promise<RemoteRepository> {
  const infoPath = `/info/refs?service=${use}`
  const reply = await asInvalid(
    migrationClient.of(services).request(address.url + infoPath, {
      headers: address.credentials === undefined ? {} : { authorization: basicAuthorization(address.credentials) },
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
  const isGit = String(reply.headers['content-type']).startsWith(`application/x-${use}-advertisement`)
  if (reply.status !== 200 || !isGit || !reply.url.endsWith(infoPath)) {
    throw new Invalid(`the address is no git repository (it answered ${reply.status})`, 'remote_no_repository')
  }
  const url = reply.url.slice(0, -infoPath.length)
  const moved = new URL(url).origin !== new URL(address.url).origin
  return { url, credentials: moved ? undefined : address.credentials, ...readAdvertisement(reply.body) }
}

/** Parses the capabilities. They follow a zero byte after the first reference (gitprotocol-http, reference discovery). */
function readAdvertisement(body: Buffer): Pick<RemoteRepository, 'objectFormat' | 'defaultBranch'> {
  const start = body.indexOf(0) + 1
  const end = body.indexOf('\n', start)
  const capabilities = start === 0 || end < 0 ? [] : body.toString('utf8', start, end).split(' ')
  const valueOf = (name: string): string | undefined =>
    capabilities.find((each) => each.startsWith(name))?.slice(name.length)
  return {
    objectFormat: valueOf('object-format=') === 'sha256' ? 'sha256' : 'sha1',
    defaultBranch: valueOf('symref=HEAD:refs/heads/'),
  }
}

/**
 * Fetches from a repository on another server. Git connects to allowed addresses only and follows no redirect.
 * Throws `Invalid` with git's message. Returns the references below `refs/fetched/` after a fetch aside.
 */
export async function fetchFrom(
  services: Services,
  key: GitKey,
  remote: RemoteAddress,
  options: {
    readonly refspecs: readonly string[]
    readonly prune?: boolean
    readonly into?: RemoteFetch['into']
    readonly timeoutMs: number
    readonly signal?: AbortSignal | undefined
  },
): Promise<readonly BareRef[]> {
  const resolve = await checkedAddresses(services, remote.url)
  const { aside } = await asTimeout(
    services.git.fetchRemote(key, {
      url: remote.url,
      refspecs: options.refspecs,
      timeoutMs: options.timeoutMs,
      skipTlsVerify: services.config.migrations.skipTlsVerify,
      ...resolve,
      ...(remote.credentials ? { credentials: remote.credentials } : {}),
      ...(options.prune === undefined ? {} : { prune: options.prune }),
      ...(options.into === undefined ? {} : { into: options.into }),
      ...(options.signal ? { signal: options.signal } : {}),
    }),
  )
  return aside
}

/** Returns the options that pin git to the allowed addresses of a host. */
async function checkedAddresses(services: Services, url: string): Promise<Pick<RemoteFetch, 'resolve'>> {
  const { host, port, addresses } = await asInvalid(migrationClient.of(services).resolve(url))
  return isIP(host) === 0 ? { resolve: [`${host}:${port}:${addresses.map(bracketed).join(',')}`] } : {}
}

/**
 * Pushes to a repository over HTTP with force, and deletes other references that the refspecs match. Throws `Invalid`
 * like `fetchFrom`, and with the report of references that the target refuses.
 */
export async function pushTo(
  services: Services,
  key: GitKey,
  remote: RemoteAddress,
  options: PushOptions,
): Promise<void> {
  const resolve = await checkedAddresses(services, remote.url)
  const sent = {
    ...{ url: remote.url, ...resolve, ...options },
    skipTlsVerify: services.config.migrations.skipTlsVerify,
    ...(remote.credentials ? { credentials: remote.credentials } : {}),
  }
  await push(services, key, sent, async () => (await lookAtRemote(services, remote, options.signal)).defaultBranch)
}

interface PushOptions {
  readonly refspecs: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Pushes and prunes. A target keeps its default branch, also when it has another name here, and may refuse the whole push
 * because of it: then the rest is pushed.
 * @param defaultOf returns the default branch of the target, when it can be known
 */
async function push(
  services: Services,
  key: GitKey,
  options: RemotePush,
  defaultOf: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<void> {
  const first = await asTimeout(services.git.pushRemote(key, { ...options, prune: true }))
  if (first.ok) return
  const kept = refusedDeletions(first.report)
  if (kept.length === 0) throw new Invalid(first.report, 'remote_refused')
  const main = await defaultOf()
  const others = kept.filter((ref) => main === undefined || ref !== branchRef(main))
  const deletions = others.map((ref) => `:${ref}`)
  const second = await asTimeout(
    services.git.pushRemote(key, { ...options, refspecs: [...options.refspecs, ...deletions] }),
  )
  if (second.ok) return
  // Another branch cannot be deleted either: what is new arrives nevertheless.
  if (deletions.length > 0) await asTimeout(services.git.pushRemote(key, options))
  throw new Invalid(second.report, 'remote_refused')
}

/** References that a push could not delete, by the report of `git push --porcelain`. */
const refusedDeletions = (report: string): readonly string[] =>
  [...report.matchAll(/^!\t:(\S+)\t/gm)].map(([, ref = '']) => ref)

/**
 * Pushes over SSH with a private key. The host key is trusted on first use and must stay the same.
 * @returns the known host keys, including new ones
 */
export async function pushOverSsh(
  services: Services,
  key: GitKey,
  remote: { readonly url: string; readonly privateKey: string; readonly knownHosts: string },
  options: PushOptions,
): Promise<string> {
  const address = await sshAddressOf(services, remote.url)
  return withTemporaryFolder(services.config.paths.tmp, 'ssh-', async (folder) => {
    const [privateKeyFile, knownHostsFile] = [join(folder, 'key'), join(folder, 'known_hosts')]
    await writeFile(privateKeyFile, remote.privateKey, { mode: 0o600 })
    await writeFile(knownHostsFile, remote.knownHosts, { mode: 0o600 })
    await push(services, key, { url: remote.url, ...options, ssh: { ...address, privateKeyFile, knownHostsFile } })
    return readFile(knownHostsFile, 'utf8')
  })
}

/** Largest number of references that one change removes. */
const removedTogether = 5000

/** Removes the fetched references (`refs/fetched/`). No row names them. */
export async function forgetFetched({ git }: Pick<Services, 'git'>, key: GitKey): Promise<void> {
  for (const part of inParts(await git.readRefs(key, fetchedPrefix), removedTogether)) {
    const removed = await git.updateRefs(
      key,
      part.map(({ name, oid }) => ({ ref: name, old: oid, new: zeroOid(oid) })),
    )
    if (!removed.ok) throw new Error(`fetched references could not be removed: ${removed.message}`)
  }
}

/** Returns the host of an SSH URL and an allowed address of it. Throws `Invalid`. */
export async function sshAddressOf(services: Services, url: string): Promise<{ host: string; address: string }> {
  const parsed = parseSshAddress(url)
  if (typeof parsed === 'string') throw new Invalid(parsed, 'remote_address_invalid')
  const { host, port } = parsed
  const { addresses } = await asInvalid(migrationClient.of(services).resolve(`http://${bracketed(host)}:${port}/`))
  return { host, address: addresses[0] as string }
}

async function asTimeout<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 503 || error.code !== 'git_timeout') throw error
    throw new Invalid('the other server took too long', 'remote_timeout')
  }
}

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

/** Turns errors of the outgoing client, such as refused addresses and unknown hosts, into `Invalid`. */
export async function asInvalid<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (Error.isError(error) && error.name === 'OutgoingError') throw new Invalid(error.message, 'remote_unreachable')
    throw error
  }
}
