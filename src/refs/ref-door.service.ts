import { Type } from 'typebox'
import type { Services } from '../access/context.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { RefJournalRow, RepoRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import type { PushedUpdate, RefUpdateResult } from '../git/git.ts'
import { job } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import { Unavailable } from '../lib/errors.ts'
import type { GitKey, Oid, RepoId, UserId } from '../lib/ids.ts'
import { branchOf, isZeroOid, tagOf, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import {
  addFollowed,
  deleteJournal,
  deleteTombstones,
  findDefaultBranch,
  findJournal,
  findOldestJournalId,
  insertJournal,
  listJournal,
  listJournalBefore,
  listJournalFrom,
  loadRecorded,
  loadJournalRepos,
  updateFirstDefaultBranch,
  updatePushedRepo,
  upsertBranches,
  upsertTags,
  type BranchFact,
  type TagFact,
} from './ref-journal.store.ts'

/** Who moved references, and through which door. */
export interface RefOrigin {
  readonly doerId: UserId
  readonly via: 'push' | 'api' | 'web' | 'merge' | 'mirror' | 'internal'
}

/** A change of one reference; `old` and `new` of nothing are all zeros. */
export type RefChange = PushedUpdate

/** What a journal entry is called while its references may be on the move. */
export interface OpenJournal {
  readonly id: number
  readonly repo: RepoRow
  readonly updates: readonly RefChange[]
  readonly origin: RefOrigin
}

/**
 * The one way in which the program changes references of a repository: writes down what is intended, has git do it in
 * one transaction of its own, and records the effects (rows of branches and tags, `refs.updated`) in one transaction of
 * the database. A crash between the steps is settled at the next start, so references, rows and events agree.
 * @param updates each with the value the reference has now; a reference that moved meanwhile gives `stale`
 */
export async function moveRefs(
  services: Services,
  repo: RepoRow,
  updates: readonly RefChange[],
  origin: RefOrigin,
): Promise<RefUpdateResult> {
  if (updates.length === 0) return { ok: true }
  const journal = await openJournal(services, repo, updates, origin)
  try {
    const result = await services.git.updateRefs(repo.git_key, updates)
    if (result.ok) await settle(services, journal, updates)
    else await dropJournal(services, journal)
    return result
  } catch (error) {
    await settleUnsure(services, journal, error)
    throw error
  }
}

/** Writes down what is about to be done. Every opened entry is settled or dropped, by whoever opened it or at a start. */
export async function openJournal(
  services: Services,
  repo: RepoRow,
  updates: readonly RefChange[],
  origin: RefOrigin,
): Promise<OpenJournal> {
  const id = await transaction(services.db, (tx) =>
    insertJournal(tx, {
      repo_id: repo.id,
      updates: JSON.stringify(updates),
      origin: JSON.stringify(origin),
      created_unix: nowUnix(services.clock),
    }),
  )
  return { id, repo, updates, origin }
}

/** Nothing was moved. */
export async function dropJournal(services: Services, journal: OpenJournal): Promise<void> {
  await transaction(services.db, (tx) => deleteJournal(tx, journal.id))
}

/** Records the effects of the references that moved; an entry that somebody else settled is left alone. */
export async function settle(services: Services, journal: OpenJournal, moved: readonly RefChange[]): Promise<void> {
  const { repo, origin } = journal
  if (moved.length === 0) return dropJournal(services, journal)
  const key = repo.git_key
  const [branches, tags] = await Promise.all([branchFacts(services, key, moved), tagFacts(services, key, moved)])
  const chosen = chooseDefaultBranch(repo, branches)
  // Before the rows, so that what is recorded is true; a crash in between is settled with the same choice.
  if (chosen !== undefined) await services.git.setHead(key, chosen)
  const now = nowUnix(services.clock)
  const { isChosen, areNewest } = await transaction(services.db, async (tx) => {
    if (!(await deleteJournal(tx, journal.id))) return { isChosen: true, areNewest: true }
    await noteFollowed(tx, repo.id, journal.id, moved)
    const recording = { repoId: repo.id, journalId: journal.id, doerId: origin.doerId, nowUnix: now }
    const isFirst = chosen === undefined || (await updateFirstDefaultBranch(tx, repo.id, chosen))
    const areBranchesNewest = await upsertBranches(tx, recording, branches)
    const areTagsNewest = await upsertTags(tx, recording, tags)
    await updatePushedRepo(tx, repo.id, now)
    await publish(tx, 'refs.updated', {
      repoId: repo.id,
      doerId: origin.doerId,
      updates: moved.map(({ ref, old, new: target }) => ({ ref, old, new: target })),
      origin: origin.via,
    })
    return { isChosen: isFirst, areNewest: areBranchesNewest && areTagsNewest }
  })
  if (!areNewest) await recordPresent(services, journal, moved)
  if (isChosen) return
  // Another first push at the same time was recorded before this one: its choice stays.
  const { default_branch: stays } = await findDefaultBranch(services.db, repo.id)
  await services.git.setHead(key, stays)
}

/**
 * Tells older entries that are not settled yet which of their references a change began at that is recorded now: should
 * their process die, they are known to have been made.
 */
async function noteFollowed(tx: Tx, repoId: RepoId, journalId: number, moved: readonly RefChange[]): Promise<void> {
  const older = await listJournalBefore(tx, repoId, journalId)
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

/** The values of references at which later changes began, as they were noted. */
const followedOf = ({ followed }: RefJournalRow): [ref: string, oid: Oid][] =>
  followed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, Oid])

/**
 * Journal entries are numbered before git moves anything. A reference that was moved there and back in between can be
 * moved by an older entry after newer ones were recorded; then what git has is recorded once more, as a new change.
 */
async function recordPresent(services: Services, journal: OpenJournal, moved: readonly RefChange[]): Promise<void> {
  const { repo, origin } = journal
  const recorded = await loadRecorded(services.db, repo.id, {
    branches: moved.flatMap(({ ref }) => branchOf(ref) ?? []),
    tags: moved.flatMap(({ ref }) => tagOf(ref) ?? []),
  })
  const none = zeroOid(repo.object_format)
  const changes: RefChange[] = []
  for (const { ref } of moved) {
    if (branchOf(ref) === undefined && tagOf(ref) === undefined) continue
    const change = { ref, old: recorded.get(ref) ?? none, new: (await services.git.readRef(repo.git_key, ref)) ?? none }
    if (change.old !== change.new) changes.push(change)
  }
  if (changes.length > 0) await settle(services, await openJournal(services, repo, changes, origin), changes)
}

/** How long git that lost its broker is given to be gone before its references are looked at, in milliseconds. */
const cutOffMs = 1000

/**
 * Settles an entry of which it is not known whether git moved its references. Where git or the database is away, a job
 * does so a moment later. Never throws, since the caller has something to tell that comes first.
 * @param failure what git ended with, if it is known
 */
export async function settleUnsure(services: Services, journal: OpenJournal, failure?: unknown): Promise<void> {
  const isCutOff = failure instanceof Unavailable && failure.code === 'git_unavailable'
  try {
    if (!isCutOff) return await settleByLooking(services, journal)
  } catch (error) {
    services.log('warn', 'a change of references is settled later', { error, journalId: journal.id })
  }
  const later = transaction(services.db, (tx) =>
    enqueue(tx, settleChange, { journalId: journal.id }, { delayMs: cutOffMs }),
  )
  // Then only the clock comes to it: `settleLeftovers`.
  await later.catch((error: unknown) =>
    services.log('error', 'a change of references is left unsettled', { error, journalId: journal.id }),
  )
}

/** Settles an entry that whoever opened it could not. */
export const settleChange = job({
  name: 'settleRefChange',
  pool: 'git',
  priority: 'high',
  input: Type.Object({ journalId: Type.Integer() }),
  async run(services: Services, { journalId }) {
    const row = await findJournal(services.db, journalId)
    const repo = row && (await loadJournalRepos(services.db, [row.repo_id])).get(row.repo_id)
    if (repo) await settleByLooking(services, entryOf(row, repo))
  },
})

const entryOf = (row: RefJournalRow, repo: RepoRow): OpenJournal => ({
  id: row.id,
  repo,
  updates: JSON.parse(row.updates) as RefChange[],
  origin: JSON.parse(row.origin) as RefOrigin,
})

/**
 * Settles an entry by what its references are now, and by what came after: a reference was moved when it is where it was
 * to be moved to, or when a later change that was made began there.
 */
export async function settleByLooking(services: Services, journal: OpenJournal): Promise<void> {
  const { repo, updates } = journal
  const none = zeroOid(repo.object_format)
  const values = new Map<string, Set<Oid>>()
  for (const { ref } of updates) {
    values.set(ref, new Set([(await services.git.readRef(repo.git_key, ref)) ?? none]))
  }
  // After the references: a change that has moved them further by then is either among these or noted on them.
  const since = await listJournalFrom(services.db, repo.id, journal.id)
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

/**
 * Age from which an unfinished change was left by a process that died, when other processes may be at work, in seconds:
 * longer than any of them takes.
 */
export const leftoverAgeSeconds = 900

/** Entries that are settled in one round after a start or by the clock. */
const settleBatch = 500

/**
 * Settles what processes that are gone left behind. `olderThanSeconds` keeps away from work under way: 0 when this is
 * the only process and it just started. A repository that can not be read keeps its entries, is told in the log and
 * found by `ingot doctor`; it must not keep the forge from starting.
 * @returns how many entries were settled
 */
export async function settleLeftovers(services: Services, olderThanSeconds: number): Promise<number> {
  let settled = 0
  let afterId = 0
  for (;;) {
    const rows = await listJournal(services.db, nowUnix(services.clock) - olderThanSeconds, afterId, settleBatch)
    const repos = await loadJournalRepos(
      services.db,
      rows.map((row) => row.repo_id),
    )
    for (const row of rows) {
      const repo = repos.get(row.repo_id)
      if (!repo) continue
      try {
        await settleByLooking(services, entryOf(row, repo))
        settled += 1
      } catch (error) {
        services.log('error', 'a change of references could not be settled', {
          error,
          repoId: repo.id,
          journalId: row.id,
        })
      }
    }
    if (rows.length < settleBatch) return settled
    afterId = (rows.at(-1) as (typeof rows)[number]).id
  }
}

/** Forgets branches that were deleted so long ago, and tags, unless an unfinished change may bring them back. */
export async function forgetDeletedRefs(services: Services, olderThanSeconds: number): Promise<void> {
  // Looked up before: a change that is begun later names what is there then.
  const oldest = await findOldestJournalId(services.db)
  const beforeUnix = nowUnix(services.clock) - olderThanSeconds
  await transaction(services.db, (tx) => deleteTombstones(tx, beforeUnix, oldest))
}

async function branchFacts(services: Services, key: GitKey, moved: readonly RefChange[]): Promise<BranchFact[]> {
  const changed = moved.flatMap((update) => {
    const name = branchOf(update.ref)
    return name === undefined ? [] : [{ name, oid: update.new }]
  })
  const heads = changed.filter(({ oid }) => !isZeroOid(oid)).map(({ oid }) => oid)
  const commits = new Map(
    (await services.git.readCommits(key, [...new Set(heads)])).map((commit) => [commit.oid, commit]),
  )
  return changed.map(({ name, oid }) => {
    const commit = commits.get(oid)
    return { name, head: commit && { oid, committedUnix: commit.committer.unixSeconds } }
  })
}

async function tagFacts(services: Services, key: GitKey, moved: readonly RefChange[]): Promise<TagFact[]> {
  const changed = moved.flatMap((update) => {
    const name = tagOf(update.ref)
    return name === undefined ? [] : [{ name, ref: update.ref, oid: update.new }]
  })
  return Promise.all(
    changed.map(async ({ name, oid }) => {
      if (isZeroOid(oid)) return { name, target: undefined }
      const found = await services.git.resolve(key, oid)
      const commitOid = found?.commit ?? oid
      const createdUnix = await tagTime(services, key, oid, found?.type, commitOid)
      return { name, target: { oid, commitOid, createdUnix } }
    }),
  )
}

/** When an annotated tag was made, or the commit that a light one points at. 0 for tags of files and folders. */
async function tagTime(
  services: Services,
  key: GitKey,
  oid: Oid,
  type: string | undefined,
  commitOid: Oid,
): Promise<number> {
  if (type === 'tag') {
    const { tagger } = await services.git.readTag(key, oid)
    if (tagger) return tagger.unixSeconds
  }
  if (type !== 'tag' && type !== 'commit') return 0
  return (await services.git.readCommit(key, commitOid)).committer.unixSeconds
}

/**
 * The default branch after a change: it stays, unless the repository was empty and the first push brings others; then
 * `main`, `master` or the first one takes its place (observed). Undefined: it stays.
 */
function chooseDefaultBranch(repo: RepoRow, branches: readonly BranchFact[]): string | undefined {
  if (!repo.is_empty) return undefined
  const pushed = branches.filter(({ head }) => head !== undefined).map(({ name }) => name)
  if (pushed.length === 0 || pushed.includes(repo.default_branch)) return undefined
  return ['main', 'master'].find((name) => pushed.includes(name)) ?? pushed[0]
}
