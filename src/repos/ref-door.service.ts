import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import type { PushedUpdate, RefUpdateResult } from '../git/git.ts'
import type { GitKey, Oid, UserId } from '../lib/ids.ts'
import { branchOf, isZeroOid, tagOf, zeroOid } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import {
  deleteJournal,
  deleteTombstones,
  findDefaultBranch,
  findOldestJournalId,
  insertJournal,
  listJournal,
  listRecorded,
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
  let result: RefUpdateResult
  try {
    result = await services.git.updateRefs(repo.git_key, updates)
  } catch (error) {
    // Whether git moved them is not known now; what the references say decides.
    await settleByLooking(services, journal)
    throw error
  }
  if (result.ok) await settle(services, journal, updates)
  else await dropJournal(services, journal)
  return result
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

/** Settles an entry by what its references are now. */
export async function settleByLooking(services: Services, journal: OpenJournal): Promise<void> {
  const key = journal.repo.git_key
  const moved: RefChange[] = []
  for (const update of journal.updates) {
    const now = await services.git.readRef(key, update.ref)
    if (isZeroOid(update.new) ? now === undefined : now === update.new) moved.push(update)
    else if (await wasPassed(services, journal, update)) moved.push(update)
  }
  await settle(services, journal, moved)
}

/**
 * True when a later change of the same reference was recorded and what this one set exists: then it was made and passed
 * by, and is recorded late. (The objects of a push that was refused never reach the repository.)
 */
async function wasPassed(services: Services, journal: OpenJournal, update: RefChange): Promise<boolean> {
  const branch = branchOf(update.ref)
  const tag = tagOf(update.ref)
  const name = branch ?? tag
  if (name === undefined || isZeroOid(update.new)) return false
  const [recorded] = await listRecorded(services.db, branch === undefined ? 'tag' : 'branch', journal.repo.id, [name])
  if (!recorded || recorded.journal_id <= journal.id) return false
  const missing = await services.git.missingObjects(journal.repo.git_key, [update.new])
  return missing.length === 0
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
      const updates = JSON.parse(row.updates) as RefChange[]
      const origin = JSON.parse(row.origin) as RefOrigin
      try {
        await settleByLooking(services, { id: row.id, repo, updates, origin })
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
