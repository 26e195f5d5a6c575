import type { Services } from '../access/context.ts'
import { perApplication } from '../access/per-application.ts'
import { listUnits } from '../access/access.store.ts'
import { transaction } from '../db/database.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { FileChange } from '../git/git.ts'
import type { Oid, PullId } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { SharedWork } from '../lib/shared-work.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { unitConfig } from '../repos/unit-config.ts'
import { recordManualMerge } from './merge/manual-merge.service.ts'
import { keepPullRef, syncPull } from './pull-sync.service.ts'
import { findPullById, updateChecked, type CheckResult } from './pull.store.ts'

/** The result of a trial merge of a head into a base. */
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

/** Returns whether two commits of a repository can be merged. Writes no objects. */
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
 * Brings a pull request up to date with its branches: moves its reference, timeline and reviews to the head, then checks
 * whether it can be merged. A push during the check discards its result and repeats the check.
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
    // Without a base branch, the last known merge base and counts stay.
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

/** Attempts of a check during concurrent pushes; after them, the job that each push enqueues checks again. */
const maxCheckAttempts = 3

async function noticesManualMerges(services: Services, repo: RepoRow): Promise<boolean> {
  const units = await listUnits(services.db, [repo.id])
  return unitConfig(units, 'pulls')?.autodetect_manual_merge ?? false
}

/** Checks; concurrent readers share one, which has begun after they read the row. */
const checks = perApplication(() => new SharedWork<PullId, PullRow | undefined>())

/** Returns the pull request's row, after a check when its branches have moved. */
export async function upToDate(services: Services, pull: PullRow): Promise<PullRow> {
  const isCurrent = pull.check_state !== 'checking' && pull.synced_oid === pull.head_oid
  if (pull.is_merged || isCurrent) return pull
  return (await checks(services).run(pull.id, () => checkPull(services, pull.id))) ?? pull
}
