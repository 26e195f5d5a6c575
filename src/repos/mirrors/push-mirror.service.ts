import { randomInt } from 'node:crypto'
import type { RepoCtx, Services } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { PushMirrorRow } from '../../db/tables/mirrors.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { BadRequest, Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { GitKey, PushMirrorId, RepoId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRepoById } from '../repo.store.ts'
import { migrationClient } from './migration-client.ts'
import { intervalOf, problemOf } from './mirror.service.ts'
import { parseRemoteAddress, parseSshAddress, type RemoteCredentials } from './remote-address.rules.ts'
import { asInvalid, lookAtRemote, pushOverSsh, pushTo, sshAddressOf } from './remote-repository.service.ts'
import {
  countPushMirrors,
  deletePushMirror,
  findPushMirror,
  findPushMirrorByName,
  insertPushMirror,
  listPushMirrorIds,
  listPushMirrors,
  updatePushMirror,
} from './push-mirror.store.ts'

/** Seal purpose of push mirror credentials. */
export const pushMirrorPurpose = 'push-mirror-credentials'

/** Credentials of the other server, sealed as JSON. */
type Opener = RemoteCredentials | { readonly privateKey: string }

/** Largest number of push mirrors of a repository. */
const maxPerRepo = 20

/** Refspecs of the pushed references. Other references of the target stay. */
const sentRefs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '+refs/notes/*:refs/notes/*']

/** The settings of a new push mirror. */
export interface PushMirrorInput {
  readonly address: string
  readonly username: string | undefined
  readonly password: string | undefined
  readonly interval: string | undefined
  readonly pushesOnCommit: boolean
  readonly usesSsh: boolean
}

/**
 * Creates a push mirror, with a key pair for SSH. Throws `BadRequest` for a bad URL or interval (observed).
 */
export async function createPushMirror(ctx: RepoCtx, input: PushMirrorInput): Promise<PushMirrorRow> {
  if (ctx.config.mirror.disableNewPush) throw new Forbidden('new push mirrors are switched off', 'mirrors_disabled')
  const seconds = await asBadRequest(() => intervalOf(ctx, input.interval))
  const remote = input.usesSsh ? await sshRemote(ctx, input) : await httpRemote(ctx, input)
  const now = nowUnix(ctx.clock)
  return transaction(ctx.db, async (tx) => {
    if ((await countPushMirrors(tx, ctx.repo.id)) >= maxPerRepo) {
      throw new Invalid(`a repository has at most ${maxPerRepo} push mirrors`, 'push_mirrors_too_many')
    }
    const mirror = await insertPushMirror(tx, {
      repo_id: ctx.repo.id,
      remote_name: `remote_mirror_${randomLetters(10)}`,
      remote_url: remote.url,
      sealed_credentials: remote.opener ? ctx.secrets.seal(pushMirrorPurpose, JSON.stringify(remote.opener)) : '',
      public_key: remote.publicKey,
      interval_seconds: seconds,
      pushes_on_commit: input.pushesOnCommit,
      created_unix: now,
      next_unix: seconds === 0 ? 0 : now + seconds,
    })
    await recordAct(tx, { ...actOn(ctx, mirror.remote_name), action: 'pushMirror.added' })
    await publishCredentialChange(tx, ctx, 'pushMirror', mirror.remote_name)
    return mirror
  })
}

interface NewRemote {
  readonly url: string
  readonly opener: Opener | undefined
  readonly publicKey: string
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const randomLetters = (count: number): string =>
  Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')

async function httpRemote(ctx: RepoCtx, { address, username, password }: PushMirrorInput): Promise<NewRemote> {
  const parsed = parseRemoteAddress(address, { username, password })
  if (typeof parsed === 'string') throw new BadRequest(parsed, 'remote_address_invalid')
  await asBadRequest(() => asInvalid(migrationClient.of(ctx).resolve(parsed.url)))
  return { url: parsed.url, opener: parsed.credentials, publicKey: '' }
}

async function sshRemote(ctx: RepoCtx, { address, username, password }: PushMirrorInput): Promise<NewRemote> {
  if (username || password) {
    throw new BadRequest('with SSH a key opens the repository: give no name and no password', 'ssh_with_password')
  }
  const parsed = parseSshAddress(address)
  if (typeof parsed === 'string') throw new BadRequest(parsed, 'remote_address_invalid')
  await asBadRequest(() => sshAddressOf(ctx, parsed.url))
  const { default: ssh } = await import('ssh2')
  const { private: privateKey, public: publicKey } = ssh.utils.generateKeyPairSync('ed25519')
  return { url: parsed.url, opener: { privateKey }, publicKey }
}

/** Turns errors about the URL or the interval of a push mirror into `BadRequest`. */
async function asBadRequest<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Invalid) throw new BadRequest(error.message, error.code)
    throw error
  }
}

/** Returns a page of a repository's push mirrors by creation, and their number. */
export async function pageOfPushMirrors(
  { db, repo }: RepoCtx,
  page: Page,
): Promise<{ readonly mirrors: readonly PushMirrorRow[]; readonly total: number }> {
  const [mirrors, total] = await rowsAndTotal(page, listPushMirrors(db, repo.id, page), countPushMirrors(db, repo.id))
  return { mirrors, total }
}

export async function getPushMirror({ db, repo }: RepoCtx, name: string): Promise<PushMirrorRow> {
  const mirror = await findPushMirrorByName(db, repo.id, name)
  if (!mirror) throw new NotFound('the push mirror does not exist', 'push_mirror_not_found')
  return mirror
}

/** Deletes a push mirror, if it exists. The target keeps its references. */
export const removePushMirror = ({ db, repo }: RepoCtx, name: string): Promise<unknown> =>
  transaction(db, async (tx) => {
    await deletePushMirror(tx, repo.id, name)
    await recordAct(tx, { ...actOn({ repo }, name), action: 'pushMirror.removed' })
  })

const actOn = ({ repo }: Pick<RepoCtx, 'repo'>, name: string) =>
  ({ about: { kind: 'push mirror', id: null, name }, details: { repository: repo.id } }) as const

/** How sending to the push mirrors of a repository ended. */
export interface SentMirrors {
  readonly total: number
  /** The addresses of those that failed; the reasons are stored with the mirrors. */
  readonly failed: readonly string[]
}

/** Pushes to all push mirrors of a repository and returns after each was tried. Errors are stored with the mirror. */
export async function syncPushMirrors(services: Services, repoId: RepoId, signal: AbortSignal): Promise<SentMirrors> {
  const ids = await listPushMirrorIds(services.db, repoId)
  const failed = await Promise.all(ids.map((id) => syncPushMirror(services, id, signal)))
  return { total: ids.length, failed: failed.filter((address) => address !== undefined) }
}

/**
 * Pushes to one push mirror. Errors of the target are stored with it, and the next interval or change retries.
 * Other errors are thrown. Archived repositories are not pushed (written contract).
 * @returns the address of the target when it failed
 */
export async function syncPushMirror(
  services: Services,
  id: PushMirrorId,
  signal: AbortSignal,
): Promise<string | undefined> {
  const mirror = await findPushMirror(services.db, id)
  const repo = mirror && (await findRepoById(services.db, mirror.repo_id))
  if (!repo || repo.is_archived || !services.config.mirror.enabled) return undefined
  let knownHosts = mirror.known_hosts
  const problem = await problemOf(async () => {
    knownHosts = await send(services, repo, mirror, signal)
  })
  if (problem !== undefined) {
    services.log('warn', 'pushing to a mirror failed', { repoId: repo.id, problem })
  }
  const now = nowUnix(services.clock)
  const { interval_seconds: interval } = mirror
  await transaction(services.db, (tx) =>
    updatePushMirror(tx, id, {
      next_unix: interval === 0 ? 0 : now + interval,
      ...(problem === undefined
        ? { last_error: '', synced_unix: now, known_hosts: knownHosts }
        : { last_error: problem }),
    }),
  )
  return problem === undefined ? undefined : mirror.remote_url
}

/** Pushes code and wiki to the target. Returns the known host keys, including new ones. */
async function send(
  services: Services,
  { git_key: codeKey, wiki_git_key: wikiKey }: RepoRow,
  mirror: PushMirrorRow,
  signal: AbortSignal,
): Promise<string> {
  const opener =
    mirror.sealed_credentials === ''
      ? undefined
      : (JSON.parse(services.secrets.open(pushMirrorPurpose, mirror.sealed_credentials)) as Opener)
  const options = { refspecs: sentRefs, timeoutMs: services.config.gitTimeout.mirror * 1000, signal }
  const { remote_url: url, known_hosts: knownHosts } = mirror
  if (opener && 'privateKey' in opener) {
    return pushOverSsh(services, codeKey, { url, knownHosts, privateKey: opener.privateKey }, options)
  }
  const sendTo = async (key: GitKey, target: string): Promise<void> => {
    const remote = await lookAtRemote(services, { url: target, credentials: opener }, signal, 'git-receive-pack')
    await pushTo(services, key, remote, options)
  }
  await sendTo(codeKey, url)
  if (wikiKey !== null) await unlessMissing(sendTo(wikiKey, wikiAddressOf(url)))
  return knownHosts
}

/** Returns the URL of the wiki that belongs to the target's repository. */
const wikiAddressOf = (url: string): string => `${url.replace(/\.git$/, '')}.wiki.git`

/** Ignores a target that does not exist. */
async function unlessMissing(sending: Promise<void>): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (!(error instanceof Invalid) || error.code !== 'remote_not_found') throw error
  }
}
