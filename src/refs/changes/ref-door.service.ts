import type { Services } from '../../access/context.ts'
import type { RefEffect } from '../../access/contributions/ref-effect.ts'
import { afterCommit, transaction, type Tx } from '../../db/database.ts'
import { beforeListeners } from '../../db/notify.ts'
import { publish } from '../../events/hub.ts'
import { foldersOf, type RefStep, type RefUpdateResult } from '../../git/git.ts'
import type { PushedUpdate } from '../../git/git-service.ts'
import { NotFound, Unavailable } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { branchOf, branchRef, isZeroOid, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'
import { insertPacks } from './pack.store.ts'
import { readRefFacts } from './ref-facts.service.ts'
import {
  deleteRefs,
  findFirstBranch,
  listExcluded,
  loadHeads,
  loadRefs,
  lockRepo,
  raiseGeneration,
  updateHeadBranch,
  updatePushedRepo,
  upsertBranches,
  upsertRefs,
  upsertTags,
  type Heads,
} from './ref.store.ts'

/** Who changes references, and from where. */
export interface RefOrigin {
  readonly doerId: UserId
  readonly via: 'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'
}

/** A change of one reference. All zeros stand for a missing reference. */
export type RefChange = PushedUpdate

/** What belongs to a change of references. */
export interface Consequence {
  /** Runs before the rows are compared; an error prevents the change. */
  readonly before?: ((tx: Tx) => Promise<void>) | undefined
  /** Runs after the rows of the references are written. */
  readonly effect?: RefEffect | undefined
  /** Whether `refs.updated` is not published, because nobody may see the repository yet. */
  readonly isQuiet?: true
}

/** Why a reference does not move. */
export type RefRefusal = Extract<RefUpdateResult, { ok: false }>

/** Thrown to undo a transaction that moves no reference. */
class Unmoved extends Error {
  override readonly name = 'Unmoved'
  readonly refused: readonly RefRefusal[]
  constructor(refused: readonly RefRefusal[]) {
    super('no reference moves')
    this.refused = refused
  }
}

/**
 * Changes references of a git repository, all or none. Every change goes through here or `moveEach`: one transaction
 * compares the present values with the old ones, writes the rows of the references, the effect and the event, and counts
 * the change. Then the copy on the disk is brought up (docs/decisions/0150-references-are-rows.md).
 * @param updates each with the present value; a reference that moved gives `stale`
 */
export async function moveRefs(
  services: Services,
  repository: GitRepository,
  updates: readonly RefChange[],
  origin: RefOrigin,
  consequence: Consequence = {},
): Promise<RefUpdateResult> {
  const [refused] = await change(services, repository, updates, origin, consequence, false)
  return refused ?? { ok: true }
}

/** Changes the references that can be changed in one transaction. Returns the others. */
export const moveEach = (
  services: Services,
  repository: GitRepository,
  updates: readonly RefChange[],
  origin: RefOrigin,
  consequence: Consequence = {},
): Promise<readonly RefRefusal[]> => change(services, repository, updates, origin, consequence, true)

async function change(
  services: Services,
  repository: GitRepository,
  updates: readonly RefChange[],
  origin: RefOrigin,
  { before, effect, isQuiet }: Consequence,
  isDivisible: boolean,
): Promise<readonly RefRefusal[]> {
  if (updates.length === 0) return []
  const { git, db } = services
  const { kind, gitKey, repoId } = repository
  await git.ready(gitKey)
  // Before the check: it finds no object of a copy that was removed meanwhile, and then the change names none.
  const packs = await git.keepObjects(gitKey)
  const unfit = await git.checkUpdates(gitKey, updates)
  if (unfit.length > 0 && (!isDivisible || unfit.length === updates.length)) return unfit
  const fit = without(updates, unfit)
  // Wikis have no rows of branches and tags.
  const facts = kind === 'code' ? await readRefFacts(services, gitKey, fit) : undefined
  const now = nowUnix(services.clock)
  let copied: Promise<void> | undefined
  try {
    const refused = await transaction(db, async (tx) => {
      // The repository is locked first, so that changes which lock other rows as well wait here and not for each other.
      const generation = await countChange(tx, services, repository)
      await before?.(tx)
      const repo = await loadHeads(tx, repoId)
      const unmoved = await refusalsOf(tx, repository, fit)
      const moved = without(fit, unmoved)
      if (moved.length === 0 || (unmoved.length > 0 && !isDivisible)) throw new Unmoved(unmoved)
      await insertPacks(tx, repository, packs)
      await deleteRefs(tx, repository, pluck(moved.filter(isDeletion), 'ref'))
      await upsertRefs(
        tx,
        repository,
        moved.filter((update) => !isDeletion(update)).map(({ ref, new: oid }) => ({ name: ref, oid })),
      )
      const chosen = await followHead(tx, repository, repo, moved, origin.doerId)
      const head = chosen ?? (kind === 'code' ? repo.default_branch : repo.wiki_branch)
      if (facts) {
        const names = new Set(pluck(moved, 'ref'))
        const isMoved = (prefix: string) => (fact: { readonly name: string }) => names.has(prefix + fact.name)
        const isPushed = origin.via !== 'api' && origin.via !== 'web'
        const recording = { repoId, doerId: origin.doerId, nowUnix: now, isPushed }
        await upsertBranches(tx, recording, facts.branches.filter(isMoved('refs/heads/')))
        await upsertTags(tx, recording, facts.tags.filter(isMoved('refs/tags/')))
        await updatePushedRepo(tx, repoId, now)
      }
      await effect?.(tx, { repoId, moved, clock: services.clock })
      if (!isQuiet) {
        await publish(tx, 'refs.updated', {
          repoId,
          doerId: origin.doerId,
          kind,
          updates: moved.map(({ ref, old, new: target }) => ({ ref, old, new: target })),
          origin: origin.via,
        })
      }
      // Jobs that read the repository wait for the copy anyway.
      beforeListeners(tx, () => (copied = copyChange(services, repository, { generation, updates: moved, head })))
      return unmoved
    })
    await copied
    return [...unfit, ...refused]
  } catch (error) {
    if (error instanceof Unmoved) {
      // Another process has moved them, and the caller may try again.
      git.doubt(gitKey)
      return [...unfit, ...error.refused]
    }
    throw error
  }
}

/**
 * Makes objects that no reference has yet known to other processes. Rows that name such an object are written after it:
 * whoever reads them may be another process.
 */
export async function nameObjects(services: Services, repository: GitRepository): Promise<void> {
  const packs = await services.git.keepObjects(repository.gitKey)
  if (packs.length === 0) return
  await transaction(services.db, async (tx) => {
    const generation = await countChange(tx, services, repository)
    await insertPacks(tx, repository, packs)
    afterCommit(tx, () => void copyChange(services, repository, { generation, updates: [] }))
  })
}

/** Why no row has the key of a repository: it is deleted, or unreachable objects were removed (divide-packs.service.ts). */
const missing = async (tx: Tx, { packs }: Services, { repoId }: GitRepository): Promise<Error> =>
  packs && (await lockRepo(tx, repoId))
    ? new Unavailable('objects of the repository were removed meanwhile; try again', 'git_objects_removed', {
        retryAfterSeconds: 1,
      })
    : new NotFound('the repository does not exist', 'repo_not_found')

/** Locks a repository, counts a change of it, and returns its generation. Throws `NotFound` or `Unavailable` (`missing`). */
async function countChange(tx: Tx, services: Services, repository: GitRepository): Promise<number> {
  const generation = await raiseGeneration(tx, repository)
  if (generation === undefined) throw await missing(tx, services, repository)
  return generation
}

const isDeletion = (update: RefChange): boolean => isZeroOid(update.new)

const without = (updates: readonly RefChange[], refused: readonly RefRefusal[]): readonly RefChange[] => {
  const names = new Set(pluck(refused, 'ref'))
  return names.size === 0 ? updates : updates.filter(({ ref }) => !names.has(ref))
}

/** Brings the copy on the disk up. The change is made whatever happens here: the next reader tries again. */
async function copyChange(services: Services, { gitKey, repoId }: GitRepository, step: RefStep): Promise<void> {
  try {
    await services.git.advance(gitKey, step)
  } catch (error) {
    services.log('error', 'a change of references was not copied to the disk; the next reader copies it', {
      error,
      repoId,
    })
  }
}

/** Returns the references that do not have their old values, and new ones that exclude others by their names. */
async function refusalsOf(tx: Tx, repository: GitRepository, updates: readonly RefChange[]): Promise<RefRefusal[]> {
  const none = zeroOid(repository.objectFormat)
  const present = await loadRefs(tx, repository, pluck(updates, 'ref'))
  const refused = new Map<string, RefRefusal>()
  const refuse = (ref: string, reason: RefRefusal['reason'], message: string): void => {
    if (!refused.has(ref)) refused.set(ref, { ok: false, reason, ref, message })
  }
  for (const { ref, old } of updates) {
    if ((present.get(ref) ?? none) === old) continue
    if (isZeroOid(old)) refuse(ref, 'exists', `${ref} exists already`)
    else refuse(ref, 'stale', `${ref} was changed meanwhile: fetch first`)
  }
  const made = updates.filter((update) => isZeroOid(update.old) && !isDeletion(update) && !refused.has(update.ref))
  if (made.length === 0) return [...refused.values()]
  const gone = new Set(
    pluck(
      updates.filter((update) => isDeletion(update) && !refused.has(update.ref)),
      'ref',
    ),
  )
  const names = new Set(pluck(made, 'ref'))
  for (const name of names) {
    const folder = foldersOf(name).find((each) => names.has(each))
    if (folder !== undefined) refuse(name, 'conflict', `${folder} and ${name} cannot both exist`)
  }
  const excluded = await listExcluded(tx, repository, [...names], [...new Set([...names].flatMap(foldersOf))])
  for (const { name, by } of excluded) {
    if (!gone.has(name)) refuse(by, 'conflict', `${name} exists, so ${by} cannot`)
  }
  return [...refused.values()]
}

/**
 * Chooses the branch that HEAD names after the first push to an empty repository that lacks the configured one (observed),
 * and after the default branch was deleted while others are left. Returns undefined when HEAD stays.
 */
async function followHead(
  tx: Tx,
  repository: GitRepository,
  repo: Heads,
  moved: readonly RefChange[],
  doerId: UserId,
): Promise<string | undefined> {
  const { kind, repoId } = repository
  const present = kind === 'code' ? repo.default_branch : repo.wiki_branch
  if (moved.some((update) => isDeletion(update) && update.ref === branchRef(present))) {
    const left = await findFirstBranch(tx, repository)
    const branch = left === undefined ? undefined : branchOf(left)
    if (branch === undefined) return undefined
    await updateHeadBranch(tx, repository, branch)
    if (kind === 'code') await publish(tx, 'repo.updated', { repoId, doerId, oldDefaultBranch: present })
    return branch
  }
  const pushed = moved.flatMap((update) => (isDeletion(update) ? [] : (branchOf(update.ref) ?? [])))
  if (pushed.length === 0 || pushed.includes(present)) return undefined
  const isFirst = kind === 'code' ? repo.is_empty : !(await loadRefs(tx, repository, [branchRef(present)])).size
  const branch = isFirst ? firstHeadOf(pushed) : undefined
  if (branch !== undefined) await updateHeadBranch(tx, repository, branch)
  return branch
}

/**
 * The branch that HEAD names when a first push lacks the configured branch: `main`, `master` or the first one
 * (observed).
 */
export const firstHeadOf = (branches: readonly string[]): string | undefined =>
  ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0]

/**
 * Counts, in the transaction that gives HEAD another branch (`default_branch`, `wiki_branch`), this change of the
 * references, and copies it after the commit. The row of the repository is locked from here on.
 */
export async function moveHead(tx: Tx, services: Services, repository: GitRepository, branch: string): Promise<void> {
  const generation = await countChange(tx, services, repository)
  await updateHeadBranch(tx, repository, branch)
  afterCommit(tx, () => void copyChange(services, repository, { generation, updates: [], head: branch }))
}
