import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pluck } from '../../lib/pluck.ts'
import { Invalid } from '../../lib/errors.ts'
import { type CommandOutput, mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { FetchedRemote } from '../git.ts'
import type { RemoteFetch, RemotePush, RemoteSsh } from '../git-remote.ts'
import { copyRemoved, isHere } from '../copy-parts.ts'
import type { PushedUpdate } from '../git-service.ts'
import { fetchedPrefix, isOid, zeroOid } from '../../lib/refs.ts'
import { flushRefs, flushWhole, manyReferences } from '../files/flush.ts'
import { removeAbandonedLocks } from '../files/leftovers.ts'
import { readRefs } from '../refs/ref-reader.ts'
import { maintain } from './maintenance.ts'
import { filesBelow } from '../files/walk.ts'

const allowedUrl = /^(?:https?|ssh):\/\/[^\s\u0000]+$/
const refspecForm = /^[+^]?[^\s\u0000-]?[^\s\u0000]*$/

/**
 * Runs a command against another server. Credentials are passed in the environment as a header, never in a URL or an
 * argument. Redirects are not followed, because the caller has checked only this address.
 */
async function runRemote(
  context: GitContext,
  key: GitKey,
  command: 'fetch' | 'push',
  flags: readonly string[],
  options: RemoteFetch,
): Promise<CommandOutput> {
  if (!allowedUrl.test(options.url)) throw new Invalid('the address of the remote repository is not valid')
  if (options.refspecs.some((refspec) => refspec.startsWith('-') || !refspecForm.test(refspec))) {
    throw new Invalid('a refspec is not valid')
  }
  if (options.url.startsWith('ssh:') !== (options.ssh !== undefined)) {
    throw new Invalid('an SSH address needs a key, and other addresses take none')
  }
  const location = locate(context, key)
  const { credentials, ssh } = options
  const basic =
    credentials === undefined
      ? undefined
      : Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  const settings: Array<readonly [string, string]> = [
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
    ['credential.helper', ''],
    ...['http', 'https', 'ssh'].map((protocol) => [`protocol.${protocol}.allow`, 'always'] as const),
    ...(basic === undefined ? [] : [['http.extraHeader', `Authorization: Basic ${basic}`] as const]),
    ...(options.skipTlsVerify === true ? [['http.sslVerify', 'false'] as const] : []),
    ...(options.resolve ?? []).map((entry) => ['http.curloptResolve', entry] as const),
  ]
  const environment = Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
    ...(ssh === undefined
      ? []
      : [
          ['GIT_SSH_COMMAND', sshCommand(ssh)],
          ['GIT_SSH_VARIANT', 'ssh'],
        ]),
  ]) as Record<string, string>
  return context.broker
    .run({
      args: [
        ...(context.durable && options.into !== undefined ? unsynced[options.into] : []),
        command,
        ...flags,
        '--',
        options.url,
        ...options.refspecs,
      ],
      cwd: location.directory,
      kind: 'maintenance',
      name: command,
      environment,
      timeoutMs: options.timeoutMs ?? context.limits.transportTimeoutMs,
      signal: options.signal,
      maxBytes: 16 << 20,
    })
    .catch((error: unknown) => explainMissing(location, error))
}

/** The SSH command that git passes to a shell. It ignores the configuration of the user and the machine. */
function sshCommand({ address, host, privateKeyFile, knownHostsFile }: RemoteSsh): string {
  const settings = {
    HostName: address,
    HostKeyAlias: host,
    IdentityFile: quotedForSsh(privateKeyFile),
    UserKnownHostsFile: quotedForSsh(knownHostsFile),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'accept-new',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    BatchMode: 'yes',
    PreferredAuthentications: 'publickey',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '10',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    LogLevel: 'ERROR',
  }
  const options = Object.entries(settings).map(([name, value]) => `-o ${quotedForShell(`${name}=${value}`)}`)
  return ['ssh', '-F', 'none', ...options].join(' ')
}

/** SSH splits file names at spaces and expands percent signs. */
const quotedForSsh = (path: string): string => `"${path.replaceAll('%', '%%')}"`

const quotedForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Fetches by refspecs, all references or none, and returns those that moved. Throws `Invalid` when the other server
 * refuses, and `Unavailable` when the copy was removed meanwhile: what it fetched aside is gone, not deleted.
 */
export async function fetchRemote(context: GitContext, key: GitKey, options: RemoteFetch): Promise<FetchedRemote> {
  const refuseRemoved = watchCopy(context, key)
  await removeAbandonedLocks(context, key)
  if (options.into === 'aside') await removeBrokenAside(context, key)
  const before = new Map((await readRefs(context, key)).map((ref) => [ref.name, ref.oid]))
  const result = await runRemote(
    context,
    key,
    'fetch',
    [
      '--quiet',
      '--atomic',
      '--force',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      '--no-recurse-submodules',
      ...(options.prune === true ? ['--prune'] : []),
    ],
    options,
  )
  if (result.exitCode === 128 || result.exitCode === 1) {
    refuseRemoved()
    throw new Invalid(withoutAddress(result.stderr, options.url), 'git_remote_failed')
  }
  mustSucceed(result, 'fetch')
  const updates: PushedUpdate[] = []
  for (const { name, oid } of await readRefs(context, key)) {
    const old = before.get(name)
    if (old !== oid) updates.push({ ref: name, old: old ?? zeroOid(oid), new: oid })
    before.delete(name)
  }
  for (const [name, oid] of before) updates.push({ ref: name, old: oid, new: zeroOid(oid) })
  const { directory } = locate(context, key)
  if (options.into === 'new') {
    // One file instead of one per reference.
    if (updates.length > manyReferences) await maintain(context, key, ['pack-refs'], { force: true })
    await flushWhole(context, directory)
  } else {
    await flushRefs(context, directory, pluck(updates, 'ref'))
  }
  const aside = options.into === 'aside' ? await readRefs(context, key, fetchedPrefix) : []
  refuseRemoved()
  return { updates, aside }
}

/** Returns a function that throws `Unavailable` when the copy on the disk is no longer the present one. */
function watchCopy(context: GitContext, key: GitKey): () => void {
  const { made } = context.copies
  const before = made.get(key)
  return () => {
    if (!isHere(context, key) || made.get(key) !== before) throw copyRemoved()
  }
}

/** What git need not sync per reference (docs/decisions/0063-references-from-other-servers.md). */
const unsynced = { aside: ['-c', 'core.fsync=committed'], new: ['-c', 'core.fsync=none'] } as const

/** References below `refs/fetched/` are not synced. A power failure may leave empty files, on which git fails. */
async function removeBrokenAside(context: GitContext, key: GitKey): Promise<void> {
  for await (const path of filesBelow(join(locate(context, key).directory, fetchedPrefix))) {
    if (path.endsWith('.lock')) continue
    if (!isOid((await readFile(path, 'utf8')).trimEnd())) await rm(path, { force: true })
  }
}

/** Force-pushes by refspecs; the report is git's own. Throws `Unavailable` when the copy was removed meanwhile. */
export async function pushRemote(
  context: GitContext,
  key: GitKey,
  options: RemotePush,
): Promise<{ ok: boolean; report: string }> {
  const refuseRemoved = watchCopy(context, key)
  const result = await runRemote(
    context,
    key,
    'push',
    ['--porcelain', '--force', '--no-verify', ...(options.prune === true ? ['--prune'] : [])],
    options,
  )
  if (result.exitCode !== 0) refuseRemoved()
  const report = withoutAddress(`${result.stdout.toString()}\n${result.stderr}`.trim(), options.url)
  return { ok: result.exitCode === 0, report }
}

/** Removes the address from a message: its user part may hold a password. */
function withoutAddress(text: string, url: string): string {
  return text
    .replaceAll(url, 'the remote')
    .replaceAll(/\/\/[^/\s@]+@/g, '//')
    .slice(-4000)
}
