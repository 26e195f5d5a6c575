import type { Services } from '../access/context.ts'
import { perApplication } from '../access/per-application.ts'
import { listUnits } from '../access/access.store.ts'
import { transaction } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { FileChange } from '../git/git.ts'
import type { Oid, PullId } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { unitConfig } from '../repos/unit-config.ts'
import { recordManualMerge } from './merge/manual-merge.service.ts'
import { keepPullRef, syncPull } from './pull-sync.service.ts'
import { findPullById, updateChecked, type CheckResult } from './pull.store.ts'

/** What is found out about bringing a head into a base. */
interface MergeCheck {
  readonly state: 'mergeable' | 'conflict' | 'empty' | 'ancestor'
  readonly mergeBase: Oid | ''
  readonly files: readonly FileChange[]
}

const countsOf = (files: readonly FileChange[]) => ({
  additions: files.reduce((sum, file) => sum + file.additions, 0),
  deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  changed_files: files.length,
})

export const resultOf = ({ state, mergeBase, files }: MergeCheck): CheckResult => ({
  check_state: state,
  merge_base: mergeBase,
  ...countsOf(files),
})

/** Finds out whether two commits of a repository can be merged, without leaving anything behind. */
export async function checkMergeability(services: Services, repo: RepoRow, base: Oid, head: Oid): Promise<MergeCheck> {
  const { git } = services
  const key = repo.git_key
  const mergeBase = await git.mergeBase(key, base, head)
  if (mergeBase === undefined) return { state: 'conflict', mergeBase: '', files: [] }
  const files = mergeBase === head ? [] : await git.diffFiles(key, { base: mergeBase, head })
  if (mergeBase === head) return { state: 'ancestor', mergeBase, files }
  const merged = await git.mergeTree(key, { ours: base, theirs: head, keep: false })
  if (!merged.clean) return { state: 'conflict', mergeBase, files }
  const { tree } = await git.readCommit(key, base)
  return { state: merged.tree === tree ? 'empty' : 'mergeable', mergeBase, files }
}

/**
 * Brings a pull request up to date with its branches: reference, timeline and reviews follow the head, then it is found
 * out whether it can be merged. A result that is overtaken by another push is dropped and the newer one looked at.
 * @returns the newest row
 */
export async function checkPull(services: Services, id: PullId): Promise<PullRow | undefined> {
  for (let attempt = 0; attempt < maxCheckAttempts; attempt++) {
    await syncPull(services, id)
    const pull = await findPullById(services.db, id)
    if (!pull || pull.is_merged || pull.check_state !== 'checking') return pull
    const repo = await findRepoById(services.db, pull.repo_id)
    if (!repo) return undefined
    await keepPullRef(services, repo, pull)
    const base = await services.git.readRef(repo.git_key, branchRef(pull.base_branch))
    const checked = base === undefined ? undefined : await checkMergeability(services, repo, base, pull.synced_oid)
    if (base !== undefined && checked?.state === 'ancestor' && (await noticesManualMerges(services, repo))) {
      const merged = await recordManualMerge(services, repo, pull, base)
      if (merged) return merged
    }
    // Without its base it stays what it was when it could be looked at last.
    const result: CheckResult = checked
      ? resultOf(checked)
      : {
          check_state: 'error',
          merge_base: pull.merge_base,
          additions: pull.additions,
          deletions: pull.deletions,
          changed_files: pull.changed_files,
        }
    const kept = await transaction(services.db, (tx) => updateChecked(tx, pull, result))
    if (kept) return kept
  }
  return findPullById(services.db, id)
}

/** How often a check is done again when pushes overtake it; then the job that each push enqueues goes on. */
const maxCheckAttempts = 3

async function noticesManualMerges(services: Services, repo: RepoRow): Promise<boolean> {
  const units = await listUnits(services.db, [repo.id])
  return unitConfig(units, 'pulls')?.autodetect_manual_merge ?? false
}

/** Checks that are under way, so that many readers wait for one. */
const checksUnderWay = perApplication(() => new Map<PullId, Promise<PullRow | undefined>>())

/** The row after its check, when one was asked for: what is shown can be used at once. */
export async function upToDate(services: Services, pull: PullRow): Promise<PullRow> {
  const isCurrent = pull.check_state !== 'checking' && pull.synced_oid === pull.head_oid
  if (pull.is_merged || isCurrent) return pull
  const underWay = checksUnderWay(services)
  const check = underWay.get(pull.id) ?? checkPull(services, pull.id).finally(() => underWay.delete(pull.id))
  underWay.set(pull.id, check)
  return (await check) ?? pull
}
