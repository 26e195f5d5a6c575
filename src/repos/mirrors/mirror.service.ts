import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { MirrorChange, MirrorRow, NewMirrorRow } from '../../db/tables/mirrors.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import type { BareRef } from '../../git/git.ts'
import type { PushedUpdate } from '../../git/git-service.ts'
import { Forbidden, Invalid } from '../../lib/errors.ts'
import type { Oid, RepoId, UserId } from '../../lib/ids.ts'
import { inParts } from '../../lib/in-parts.ts'
import { branchRef, fetchedPrefix, isZeroOid, zeroOid } from '../../lib/refs.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { SealError } from '../../secrets/secrets.ts'
import { parseInterval, shortIntervalText } from './mirror-interval.ts'
import { findMirror, updateMirror } from './mirror.store.ts'
import { codeOf, type GitRepository } from '../../refs/git-repository.ts'
import { moveHead, moveRefs } from '../../refs/changes/ref-door.service.ts'
import type { RemoteAddress, RemoteCredentials } from './remote-address.rules.ts'
import { fetchFrom, forgetFetched, lookAtRemote } from './remote-repository.service.ts'
import { findRepoById } from '../repo.store.ts'
import { takeSettings, publishSettingsChange } from '../settings-change.service.ts'

/** Seal purpose of mirror credentials. */
export const mirrorPurpose = 'mirror-credentials'

/** Kinds of references that a mirror follows. */
const followedPrefixes = ['refs/heads/', 'refs/tags/', 'refs/notes/']

/** Largest number of stored characters of an error. */
const maxErrorLength = 1000

/** Returns the requested interval between updates in seconds, or the default of the instance. Throws `Invalid`. */
export function intervalOf({ config }: Services, interval: string | undefined): number {
  if (!interval) return Math.round(config.mirror.defaultInterval / 1000)
  const seconds = parseInterval(interval, config.mirror.minInterval / 1000)
  if (typeof seconds === 'string') throw new Invalid(seconds, 'interval_invalid')
  return seconds
}

/** Throws `Forbidden` when new mirrors are disabled (`[mirror]`, `[repository].DISABLE_MIRRORS`). */
export function refuseNewMirror({ config }: Services): void {
  if (!config.mirror.enabled || config.mirror.disableNewPull || config.repository.disableMirrors) {
    throw new Forbidden('new mirrors are switched off', 'mirrors_disabled')
  }
}

/** What administrators of a mirror see and change. */
export interface MirrorSettings {
  /** Such as `8h`; `0` without scheduled updates. */
  readonly interval: string
  /** Whether references that the original no longer has are deleted. */
  readonly prunes: boolean
  /** 0: not fetched yet. */
  readonly syncedUnix: Unix
  /** Empty when the last update succeeded. */
  readonly lastError: string
}

/** Returns the settings of a mirror; undefined when the repository is none. */
export async function getMirrorSettings({ db }: Services, repo: RepoRow): Promise<MirrorSettings | undefined> {
  const row = repo.is_mirror ? await findMirror(db, repo.id) : undefined
  return (
    row && {
      interval: shortIntervalText(row.interval_seconds),
      prunes: row.prunes,
      syncedUnix: row.synced_unix,
      lastError: row.last_error,
    }
  )
}

/** Returns the row of a mirror whose repository has just been fetched. */
export function newMirror(
  services: Services,
  address: RemoteAddress,
  intervalSeconds: number,
): Omit<NewMirrorRow, 'repo_id'> {
  const now = nowUnix(services.clock)
  const { url, credentials } = address
  return {
    remote_url: url,
    sealed_credentials: credentials ? services.secrets.seal(mirrorPurpose, JSON.stringify(credentials)) : '',
    interval_seconds: intervalSeconds,
    prunes: true,
    synced_unix: now,
    next_unix: intervalSeconds === 0 ? 0 : now + intervalSeconds,
  }
}

/** Returns the change of a mirror's row by an edit of its repository. Undefined: no change. Throws `Invalid`. */
export function mirrorChange(
  services: Services,
  repo: RepoRow,
  edit: { readonly interval?: string | undefined; readonly prunes?: boolean | undefined } = {},
): MirrorChange | undefined {
  if (!repo.is_mirror || (edit.interval === undefined && edit.prunes === undefined)) return undefined
  const prunes = edit.prunes === undefined ? {} : { prunes: edit.prunes }
  if (edit.interval === undefined) return prunes
  const seconds = intervalOf(services, edit.interval)
  return { ...prunes, interval_seconds: seconds, next_unix: seconds === 0 ? 0 : nowUnix(services.clock) + seconds }
}

/**
 * Updates a mirror. Errors of the other server are stored with the mirror, which is retried when it is due. Other
 * errors are thrown.
 */
export async function syncMirror(services: Services, repoId: RepoId, signal: AbortSignal): Promise<void> {
  const [repo, mirror] = await Promise.all([findRepoById(services.db, repoId), findMirror(services.db, repoId)])
  if (!repo || !mirror || !services.config.mirror.enabled) return
  const problem = await problemOf(() => follow(services, repo, mirror, signal))
  if (problem !== undefined) services.log('warn', 'updating a mirror failed', { repoId, problem })
  const now = nowUnix(services.clock)
  const { interval_seconds: interval } = mirror
  await transaction(services.db, async (tx) => {
    await updateMirror(tx, repoId, {
      next_unix: interval === 0 ? 0 : now + interval,
      last_error: problem ?? '',
      ...(problem === undefined ? { synced_unix: now } : {}),
    })
    const hasMore = problem === undefined && mirror.follows !== '[]'
    if (hasMore) await publish(tx, 'mirror.synced', { repoId, doerId: repo.owner_id })
  })
}

/**
 * Returns the text of an error that the other server, its URL or its credentials cause, cut to the stored length.
 * Throws any other error.
 */
export async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Invalid || error instanceof SealError) return error.message.slice(0, maxErrorLength)
    throw error
  }
}

async function follow(services: Services, repo: RepoRow, mirror: MirrorRow, signal: AbortSignal): Promise<void> {
  await followRemote(services, codeOf(repo), originalOf(services, mirror), {
    prunes: mirror.prunes,
    doerId: repo.owner_id,
    signal,
    head: { present: repo.default_branch, follow: (branch) => followHead(services, repo, branch) },
  })
}

/** Makes the branch that HEAD of the source names the default branch. */
async function followHead(services: Services, repo: RepoRow, branch: string) {
  const { id, owner_id: doerId } = repo
  await transaction(services.db, async (tx) => {
    const before = await takeSettings(tx, id)
    await moveHead(tx, services, codeOf(repo), branch)
    await publishSettingsChange(tx, before, doerId)
  })
}

/** Returns the URL and the credentials of a mirror's source. Throws `SealError`. */
export const originalOf = (services: Services, mirror: MirrorRow): RemoteAddress => ({
  url: mirror.remote_url,
  credentials:
    mirror.sealed_credentials === ''
      ? undefined
      : (JSON.parse(services.secrets.open(mirrorPurpose, mirror.sealed_credentials)) as RemoteCredentials),
})

interface Following {
  readonly prunes: boolean
  readonly doerId: UserId
  readonly signal: AbortSignal
  /** The default branch, and what makes another one the default branch. */
  readonly head?: { readonly present: string; readonly follow: (branch: string) => Promise<void> }
}

/** Updates the references of a repository to those of its source. Throws `Invalid` for errors of the source. */
export async function followRemote(
  services: Services,
  repository: GitRepository,
  original: RemoteAddress,
  { prunes, doerId, signal, head }: Following,
): Promise<void> {
  const remote = await lookAtRemote(services, original, signal)
  const key = repository.gitKey
  try {
    const fetched = await fetchFrom(services, key, remote, {
      refspecs: followedPrefixes.map((prefix) => `+${prefix}*:${fetchedPrefix}${prefix.slice('refs/'.length)}*`),
      prune: true,
      into: 'aside',
      timeoutMs: services.config.gitTimeout.mirror * 1000,
      signal,
    })
    const updates = await changesOf(services, repository, fetched, prunes)
    const move = async (changes: readonly PushedUpdate[]): Promise<void> => {
      for (const step of inParts(changes, movedTogether)) {
        const result = await moveRefs(services, repository, step, { doerId, via: 'mirror' })
        if (!result.ok) throw new Error(`references of a mirror could not be moved: ${result.message}`)
      }
    }
    const moved = updates.filter((each) => !isZeroOid(each.new))
    const isLast = ({ ref }: PushedUpdate): boolean =>
      head !== undefined && ref === branchRef(head.present) && !moved.some((each) => excludes(each.ref, ref))
    const gone = updates.filter((each) => isZeroOid(each.new))
    // The old default branch goes last, when another one is the default branch.
    await move(gone.filter((each) => !isLast(each)))
    await move(moved)
    const next = remote.defaultBranch
    if (head && next !== undefined && next !== head.present && (await services.git.readRef(key, branchRef(next)))) {
      await head.follow(next)
    }
    await move(gone.filter(isLast))
  } finally {
    await forgetFetched(services, key)
  }
}

/** Whether two references cannot exist together: a branch `a` and a branch `a/b`. The old one is deleted first. */
const excludes = (one: string, other: string): boolean => one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

/** Returns the differences between fetched and visible references. */
async function changesOf(
  { git }: Services,
  repository: GitRepository,
  fetched: readonly BareRef[],
  prunes: boolean,
): Promise<PushedUpdate[]> {
  const none = zeroOid(repository.objectFormat)
  const present = new Map<string, Oid>()
  for (const { name, oid } of await git.readRefs(repository.gitKey)) {
    if (followedPrefixes.some((prefix) => name.startsWith(prefix))) present.set(name, oid)
  }
  const updates: PushedUpdate[] = []
  for (const { name, oid } of fetched) {
    const ref = `refs/${name.slice(fetchedPrefix.length)}`
    const old = present.get(ref)
    if (old !== oid) updates.push({ ref, old: old ?? none, new: oid })
    present.delete(ref)
  }
  if (prunes) for (const [ref, old] of present) updates.push({ ref, old, new: none })
  return updates
}

/** Largest number of references in one change. A mirror may have more. */
const movedTogether = 5000
