import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { readEffect, type PlannedEffect } from '../../access/contributions/ref-effect.ts'
import { contributionsOf } from '../../access/feature.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import type { RefJournalRow, RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import type { PushedUpdate, RefUpdateResult } from '../../git/git.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { Unavailable } from '../../lib/errors.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { branchOf, branchRef, isZeroOid, tagOf, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { codeOf, wikiOf, type GitRepository } from '../git-repository.ts'
import { readRefFacts } from './ref-facts.service.ts'
import {
  addFollowed,
  deleteJournal,
  findHeadBranches,
  findJournal,
  insertJournal,
  LeaseLost,
  listOpenUpdates,
  listJournalBefore,
  listJournalFrom,
  loadRecorded,
  lockRepo,
  loadJournalRepos,
  updateLostDefaultBranch,
  updatePushedRepo,
  updateWikiBranch,
  upsertBranches,
  upsertTags,
} from './ref-journal.store.ts'

/** Who changes references, and from where. */
export interface RefOrigin {
  readonly doerId: UserId
  readonly via: 'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'
}

/** A change of one reference. All zeros stand for a missing reference. */
export type RefChange = PushedUpdate

/** What happens together with a change of references. */
export interface Consequence {
  /** Applied in the transaction that settles the change. */
  readonly effect?: PlannedEffect
  /** Runs in the transaction that writes the journal entry. An error prevents the change. */
  readonly before?: (tx: Tx) => Promise<void>
}

/** A journal entry whose references git may be moving. */
export interface OpenJournal {
  readonly id: number
  readonly repository: GitRepository
  readonly updates: readonly RefChange[]
  readonly origin: RefOrigin
  readonly effect?: Omit<PlannedEffect, 'subject'> | undefined
}

/**
 * Changes references of a git repository; all changes go through here or through a push. The call writes a journal
 * entry with the intended updates and effect, has git move the references in one transaction, and records the result
 * (rows of branches and tags, the effect, `refs.updated`) in one database transaction. An entry left by a crash is
 * settled later, so references, rows and events agree (docs/decisions/0010-reference-door-and-journal.md).
 * @param updates each with the present value; a reference that moved gives `stale`
 */
export async function moveRefs(
  services: Services,
  repository: GitRepository,
  updates: readonly RefChange[],
  origin: RefOrigin,
  consequence: Consequence = {},
): Promise<RefUpdateResult> {
  if (updates.length === 0) return { ok: true }
  const journal = await openJournal(services, repository, updates, origin, consequence)
  try {
    const result = await services.git.updateRefs(repository.gitKey, updates)
    if (result.ok) await settle(services, journal, updates)
    else await dropJournal(services, journal)
    return result
  } catch (error) {
    await settleUnknown(services, journal, error)
    throw error
  }
}

/**
 * Writes a journal entry. Its process settles or drops it, or another process does after the first one dies. A process
 * that lost its lease retries with a new one.
 */
export async function openJournal(
  services: Services,
  repository: GitRepository,
  updates: readonly RefChange[],
  origin: RefOrigin,
  { effect, before }: Consequence = {},
): Promise<OpenJournal> {
  const values = {
    repo_id: repository.repoId,
    kind: repository.kind,
    updates: JSON.stringify(updates),
    origin: JSON.stringify(origin),
    created_unix: nowUnix(services.clock),
    ...(effect ? { effect: effectText(effect), subject: effect.subject } : {}),
  }
  for (let attempt = 0; attempt < maxLeases; attempt++) {
    const processId = await services.process.id()
    try {
      const id = await transaction(services.db, async (tx) => {
        await before?.(tx)
        return insertJournal(tx, { ...values, process_id: processId })
      })
      return { id, repository, updates, origin, effect }
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
      services.process.lost(processId)
    }
  }
  throw new Unavailable('the server cannot keep its lease on the database; try again', 'lease_lost')
}

/** Leases that a change is tried with. */
const maxLeases = 3

const effectText = ({ name, version, data }: PlannedEffect): string => JSON.stringify({ name, version, data })

/** Deletes an entry whose references did not move. */
export async function dropJournal(services: Services, journal: OpenJournal): Promise<void> {
  await transaction(services.db, (tx) => deleteJournal(tx, journal.id))
}

/**
 * Records the effects of moved references. The transaction deletes the entry, so the effects are recorded once. When
 * another process has settled the entry before, by the state of git at that time, later moves are recorded as a new
 * change.
 */
export async function settle(services: Services, journal: OpenJournal, moved: readonly RefChange[]): Promise<void> {
  const { repository, origin } = journal
  if (moved.length === 0) return dropJournal(services, journal)
  const { repoId, kind, gitKey } = repository
  const apply = journal.effect && readEffect(contributionsOf(services).refEffects, journal.effect)
  const [facts, chosen] = await Promise.all([
    // Wikis have no rows of branches and tags.
    kind === 'code' ? readRefFacts(services, gitKey, moved) : undefined,
    chooseHead(services, repository, moved),
  ])
  // HEAD moves before the rows, so that the rows are true. After a crash, settling makes the same choice.
  if (chosen !== undefined) await services.git.setHead(gitKey, chosen.branch)
  const now = nowUnix(services.clock)
  const { isClaimed, isChosen, areNewest } = await transaction(services.db, async (tx) => {
    if (!(await deleteJournal(tx, journal.id))) return { isClaimed: false, isChosen: true, areNewest: true }
    await noteFollowed(tx, repository, journal.id, moved)
    const isFirst = chosen === undefined || (await recordHead(tx, repository, chosen, origin.doerId))
    let areAllNewest = true
    if (facts) {
      const isPushed = origin.via !== 'api' && origin.via !== 'web'
      const recording = { repoId, journalId: journal.id, doerId: origin.doerId, nowUnix: now, isPushed }
      const areBranchesNewest = await upsertBranches(tx, recording, facts.branches)
      const areTagsNewest = await upsertTags(tx, recording, facts.tags)
      areAllNewest = areBranchesNewest && areTagsNewest
      await updatePushedRepo(tx, repoId, now)
    }
    await apply?.(tx, { repoId, moved, clock: services.clock })
    await publish(tx, 'refs.updated', {
      repoId,
      doerId: origin.doerId,
      kind,
      updates: moved.map(({ ref, old, new: target }) => ({ ref, old, new: target })),
      origin: origin.via,
    })
    return { isClaimed: true, isChosen: isFirst, areNewest: areAllNewest }
  })
  if (!isClaimed || !areNewest) await recordCurrent(services, journal, moved, isClaimed)
  if (isChosen) return
  // Another first push was recorded before; its choice stays.
  const stays = await findHeadBranches(services.db, repoId)
  if (stays) await services.git.setHead(gitKey, stays.default_branch)
}

/** The branch that HEAD names after a change. */
interface ChosenHead {
  readonly branch: string
  /** The deleted branch that it replaces; undefined in an empty repository. */
  readonly lost?: string
}

/**
 * The branch that HEAD names after the first push to an empty repository that lacks the configured one (observed), and after
 * the default branch was deleted while others are left; undefined: HEAD stays.
 */
async function chooseHead(
  { db, git }: Services,
  { repoId, kind, gitKey }: GitRepository,
  moved: readonly RefChange[],
): Promise<ChosenHead | undefined> {
  const touched = moved.flatMap(({ ref }) => branchOf(ref) ?? [])
  const row = touched.length === 0 ? undefined : await findHeadBranches(db, repoId)
  if (!row) return undefined
  const present = kind === 'code' ? row.default_branch : row.wiki_branch
  if (moved.some((update) => isZeroOid(update.new) && update.ref === branchRef(present))) {
    const left = (await git.readRefs(gitKey, 'refs/heads/')).flatMap(({ name }) => branchOf(name) ?? [])
    const branch = left.includes(present) ? undefined : firstHeadOf(left)
    return branch === undefined ? undefined : { branch, lost: present }
  }
  const pushed = moved.flatMap((update) => (isZeroOid(update.new) ? [] : (branchOf(update.ref) ?? [])))
  if (pushed.length === 0) return undefined
  if (pushed.includes(present)) return undefined
  const isFirst = kind === 'code' ? row.is_empty : (await git.readRef(gitKey, branchRef(present))) === undefined
  const branch = isFirst ? firstHeadOf(pushed) : undefined
  return branch === undefined ? undefined : { branch }
}

/**
 * The branch that HEAD names when a first push lacks the configured branch: `main`, `master` or the first one
 * (observed).
 */
export const firstHeadOf = (branches: readonly string[]): string | undefined =>
  ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0]

/** @returns false when another first push was recorded before, or another default branch was chosen */
async function recordHead(
  tx: Tx,
  { repoId, kind }: GitRepository,
  { branch, lost }: ChosenHead,
  doerId: UserId,
): Promise<boolean> {
  if (kind === 'wiki') return updateWikiBranch(tx, repoId, branch)
  const isSet = await updateLostDefaultBranch(tx, repoId, branch, lost)
  if (isSet && lost !== undefined) await publish(tx, 'repo.updated', { repoId, doerId, oldDefaultBranch: lost })
  return isSet
}

/**
 * Notes on older unsettled entries which of their new values this recorded change started from. If their process dies,
 * this proves that git made them.
 */
async function noteFollowed(
  tx: Tx,
  repository: GitRepository,
  journalId: number,
  moved: readonly RefChange[],
): Promise<void> {
  const older = await listJournalBefore(tx, repository, journalId)
  if (older.length === 0) return
  const began = new Map(moved.map(({ ref, old }) => [ref, old]))
  const followed = new Map<string, Oid>()
  const ids: number[] = []
  for (const row of older) {
    const own = (JSON.parse(row.updates) as RefChange[]).filter((update) => began.get(update.ref) === update.new)
    for (const update of own) followed.set(update.ref, update.new)
    if (own.length > 0) ids.push(row.id)
  }
  if (ids.length > 0) await addFollowed(tx, ids, [...followed].map((each) => `${JSON.stringify(each)}\n`).join(''))
}

/** Reference values noted by `noteFollowed`. */
const followedOf = ({ followed }: RefJournalRow): [ref: string, oid: Oid][] =>
  followed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, Oid])

/**
 * Records the present references as a new change where the rows differ. This happens when an older entry moved a
 * reference that newer entries had moved and recorded, and when a process outlived its lease and moved references whose
 * entry another process dropped.
 * @param isClaimed whether this process settled the entry
 */
async function recordCurrent(
  services: Services,
  journal: OpenJournal,
  moved: readonly RefChange[],
  isClaimed: boolean,
): Promise<void> {
  const { repository, origin } = journal
  const { repoId, gitKey, kind } = repository
  // Wikis have no rows to compare with.
  if (kind === 'wiki') return
  const recorded = await loadRecorded(services.db, repoId, namesOf(moved))
  const none = zeroOid(repository.objectFormat)
  const changes: RefChange[] = []
  for (const { ref } of moved) {
    if (branchOf(ref) === undefined && tagOf(ref) === undefined) continue
    const change = { ref, old: recorded.get(ref) ?? none, new: (await services.git.readRef(gitKey, ref)) ?? none }
    if (change.old !== change.new) changes.push(change)
  }
  // The effect was dropped with the entry.
  const isDropped = !isClaimed && changes.length === moved.length && changes.every((change) => isAmong(change, moved))
  const { effect } = journal
  await recordUnrecorded(
    services,
    repository,
    changes,
    origin,
    isDropped && effect ? { ...effect, subject: '' } : undefined,
  )
}

const isAmong = (change: RefChange, moved: readonly RefChange[]): boolean =>
  moved.some(({ ref, old, new: target }) => ref === change.ref && old === change.old && target === change.new)

/** Thrown when the rows or the journal know the references. */
class AlreadyRecorded extends Error {
  override readonly name = 'AlreadyRecorded'
}

/**
 * Records changes that git has and the rows lack. Records nothing when a journal entry is about one of the references,
 * because settling it records them, or when the rows changed.
 * @returns whether the changes were recorded
 */
export async function recordUnrecorded(
  services: Services,
  repository: GitRepository,
  changes: readonly RefChange[],
  origin: RefOrigin,
  effect?: PlannedEffect,
): Promise<boolean> {
  if (changes.length === 0) return false
  const { repoId } = repository
  const none = zeroOid(repository.objectFormat)
  const before = async (tx: Tx): Promise<void> => {
    await lockRepo(tx, repoId)
    const open = await listOpenRefs(tx, repository)
    const recorded = await loadRecorded(tx, repoId, namesOf(changes))
    const isUnknown = changes.every(({ ref, old }) => !open.has(ref) && (recorded.get(ref) ?? none) === old)
    if (!isUnknown) throw new AlreadyRecorded()
  }
  try {
    const journal = await openJournal(services, repository, changes, origin, effect ? { effect, before } : { before })
    await settle(services, journal, changes)
    return true
  } catch (error) {
    if (error instanceof AlreadyRecorded) return false
    throw error
  }
}

/** References with unsettled changes. */
export const listOpenRefs = async (
  db: Db | Tx,
  repository: Pick<GitRepository, 'repoId' | 'kind'>,
): Promise<Set<string>> =>
  new Set(
    (await listOpenUpdates(db, repository)).flatMap(({ updates }) =>
      (JSON.parse(updates) as RefChange[]).map(({ ref }) => ref),
    ),
  )

const namesOf = (changes: readonly RefChange[]) => ({
  branches: changes.flatMap(({ ref }) => branchOf(ref) ?? []),
  tags: changes.flatMap(({ ref }) => tagOf(ref) ?? []),
})

/** Time for git processes of a dead broker to end, in milliseconds. */
const cutOffMs = 1000

/**
 * Settles an entry when it is unknown whether git moved its references. While git or the database is unavailable, a job
 * retries. Never throws, so that the caller can report its own error.
 * @param failure git's error, if known
 */
export async function settleUnknown(services: Services, journal: OpenJournal, failure?: unknown): Promise<void> {
  const isCutOff = failure instanceof Unavailable && failure.code === 'git_unavailable'
  try {
    if (!isCutOff) return await settleByState(services, journal)
  } catch (error) {
    services.log('warn', 'settling a change of references failed; a job retries', { error, journalId: journal.id })
  }
  const later = transaction(services.db, (tx) =>
    enqueue(tx, settleChange, { journalId: journal.id }, { delayMs: cutOffMs }),
  )
  await later.catch((error: unknown) => {
    services.log('error', 'writing a job to settle a change of references failed; this process retries', {
      error,
      journalId: journal.id,
    })
    // Without a writable database the process retries by itself. After its death, `settleLeftovers` settles the entry.
    setTimeout(() => void settleUnknown(services, journal), unwrittenRetryMs).unref()
  })
}

/** Delay of the retry without a job, in milliseconds. */
const unwrittenRetryMs = 5000

/** Settles an entry that its process could not settle. */
export const settleChange = job({
  name: 'settleRefChange',
  pool: 'git',
  priority: 'high',
  input: Type.Object({ journalId: Type.Integer() }),
  async run(services: Services, { journalId }) {
    const row = await findJournal(services.db, journalId)
    const repo = row && (await loadJournalRepos(services.db, [row.repo_id])).get(row.repo_id)
    if (repo) await settleRow(services, row, repo)
  },
})

/** Settles a stored entry. */
export async function settleRow(services: Services, row: RefJournalRow, repo: RepoRow): Promise<void> {
  const repository = repositoryOf(row, repo)
  // The wiki was deleted together with its references.
  if (!repository) return transaction(services.db, async (tx) => void (await deleteJournal(tx, row.id)))
  await settleByState(services, {
    id: row.id,
    repository,
    updates: JSON.parse(row.updates) as RefChange[],
    origin: JSON.parse(row.origin) as RefOrigin,
    effect: row.effect === '' ? undefined : (JSON.parse(row.effect) as Omit<PlannedEffect, 'subject'>),
  })
}

function repositoryOf({ kind }: RefJournalRow, repo: RepoRow): GitRepository | undefined {
  if (kind === 'code') return codeOf(repo)
  return repo.wiki_git_key === null ? undefined : wikiOf(repo, repo.wiki_git_key)
}

/**
 * Settles an entry by the present references and later entries: a reference was moved when it has its new value, or
 * when a later change started from that value.
 */
export async function settleByState(services: Services, journal: OpenJournal): Promise<void> {
  const { repository, updates } = journal
  const none = zeroOid(repository.objectFormat)
  const values = new Map<string, Set<Oid>>()
  for (const { ref } of updates) {
    values.set(ref, new Set([(await services.git.readRef(repository.gitKey, ref)) ?? none]))
  }
  // Read after the references: a change that moved them further is in this list or noted on an entry.
  const since = await listJournalFrom(services.db, repository, journal.id)
  const moved: RefChange[] = []
  for (const row of since.toReversed()) {
    for (const [ref, oid] of followedOf(row)) values.get(ref)?.add(oid)
    for (const update of JSON.parse(row.updates) as RefChange[]) {
      const known = values.get(update.ref)
      if (!known?.has(update.new)) continue
      known.add(update.old)
      if (row.id === journal.id) moved.push(update)
    }
  }
  await settle(services, journal, moved)
}
