import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { PullRow, ReviewRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { publish } from '../events/hub.ts'
import type { Attribution } from '../issues/attribution.ts'
import { insertTimelineEntries, insertTimelineEntry } from '../issues/timeline-entry.store.ts'
import { findIssueById, touchIssues } from '../issues/issue.store.ts'
import type { Oid, PullId, UserId } from '../lib/ids.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { WorkBudget } from '../lib/work-budget.ts'
import { nowUnix } from '../lib/time.ts'
import { effectiveRule } from '../refs/protection/branch-protection.rules.ts'
import { listBranchRules } from '../refs/protection/branch-protection.store.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { pullRef } from './pull-ref.ts'
import { writePushEntry } from './push-entry.rules.ts'
import { findPullById, listBranchHeads, updateSynced } from './pull.store.ts'
import { listApprovals, markStale, updateReview } from './reviews/review.store.ts'

/** Most commits in the timeline entry of one push. */
const maxNamedCommits = 1000

/** Fetches a fork's head commit into the base repository. */
export async function fetchHead(
  services: Services,
  repo: RepoRow,
  head: { readonly repo: RepoRow | undefined; readonly oid: Oid },
): Promise<void> {
  const { git } = services
  if (!head.repo || head.repo.id === repo.id) return
  const missing = await git.missingObjects(repo.git_key, [head.oid])
  if (missing.length > 0) await git.fetchObjects(head.repo.git_key, repo.git_key, [head.oid])
}

/** Sets `refs/pull/<index>/head`, which keeps the commits of a pull request. May be repeated after a crash. */
export async function writePullRef(
  services: Services,
  repo: RepoRow,
  pull: PullRow,
  to: Oid,
  doerId: UserId,
): Promise<void> {
  const ref = pullRef(pull.index)
  const now = await services.git.readRef(repo.git_key, ref)
  if (now === to) return
  const change = { ref, old: now ?? zeroOid(repo.object_format), new: to }
  const result = await moveRefs(services, codeOf(repo), [change], { doerId, via: 'internal' })
  // A concurrent writer has moved the reference to this commit or a newer one, which its own push handles.
  if (!result.ok && result.reason !== 'stale' && result.reason !== 'exists') throw new Error(result.message)
}

/** Restores the missing reference of a pull request while its commit exists. */
export async function keepPullRef(services: Services, repo: RepoRow, pull: PullRow): Promise<void> {
  const { git } = services
  if ((await git.readRef(repo.git_key, pullRef(pull.index))) !== undefined) return
  if ((await git.missingObjects(repo.git_key, [pull.synced_oid])).length > 0) return
  await writePullRef(services, repo, pull, pull.synced_oid, await pusherOf(services, pull))
}

/** Returns the commits that are reachable from a head but not from `not`, oldest first. */
export const newCommits = (
  services: Services,
  repo: RepoRow,
  head: Oid,
  not: readonly Oid[],
): Promise<readonly Oid[]> =>
  services.git.logOids(repo.git_key, { from: [head], not, reverse: true, limit: maxNamedCommits })

/**
 * Brings a pull request up to a pushed commit: fetches the fork's objects, moves `refs/pull/N/head`, adds the timeline entry
 * and marks stale reviews. May be called repeatedly and concurrently.
 * @param upTo one push, which applies only when it starts at the synchronized commit; else the newest head applies
 */
export async function syncPull(
  services: Services,
  id: PullId,
  upTo?: { readonly old: Oid; readonly new: Oid; readonly doerId: UserId },
): Promise<void> {
  const pull = await findPullById(services.db, id)
  if (!pull || pull.is_merged || pull.synced_oid === pull.head_oid) return
  const [repo, headRepo] = await Promise.all([
    findRepoById(services.db, pull.repo_id),
    pull.head_repo_id === null ? undefined : findRepoById(services.db, pull.head_repo_id),
  ])
  if (!repo) return
  const isThisPush = upTo !== undefined && upTo.old === pull.synced_oid
  const target = isThisPush ? upTo.new : pull.head_oid
  const doerId = isThisPush ? upTo.doerId : await pusherOf(services, pull)
  await fetchHead(services, repo, { repo: headRepo, oid: target })
  if ((await services.git.missingObjects(repo.git_key, [target])).length > 0) return
  const about = await describePush(services, repo, pull, target)
  await writePullRef(services, repo, pull, target, doerId)
  // What follows is stored and readers share it, so it does not depend on what their request used up.
  const rule = effectiveRule(await listBranchRules(services.db, repo.id), pull.base_branch, new WorkBudget())
  const by: Attribution = { doerId, atUnix: nowUnix(services.clock), isDated: false }
  await transaction(services.db, async (tx) => {
    if (!(await updateSynced(tx, pull, target))) return
    const issue = await findIssueById(tx, pull.issue_id)
    if (!issue) return
    if (about.commits.length > 0) {
      await insertTimelineEntry(tx, by, issue.id, {
        type: 'pull_push',
        content: writePushEntry(about),
      })
    }
    await markStale(tx, issue.id, target, about.isContentChanged)
    if (about.isContentChanged && rule?.dismiss_stale_approvals) {
      const approvals = await listApprovals(tx, issue.id)
      const dismissed: ReviewRow[] = []
      for (const approval of approvals.filter((each) => each.commit_oid !== target)) {
        dismissed.push(await updateReview(tx, approval.id, { is_dismissed: true, updated_unix: by.atUnix }))
      }
      const entries = await insertTimelineEntries(
        tx,
        by,
        dismissed.map((review) => ({ issue_id: issue.id, type: 'dismiss_review' as const, review_id: review.id })),
      )
      for (const [index, entry] of entries.entries()) {
        const review = dismissed[index] as ReviewRow
        await publish(tx, 'review.dismissed', {
          ...factsOf(pull, doerId),
          reviewId: review.id,
          reviewerId: review.reviewer_id as UserId,
          commentId: entry.id,
        })
      }
    }
    await touchIssues(tx, [issue.id], by.atUnix)
    await publish(tx, 'pull.synchronized', { ...factsOf(pull, doerId), old: pull.synced_oid, new: target })
  })
}

export const factsOf = (pull: PullRow, doerId: UserId) => ({
  repoId: pull.repo_id,
  issueId: pull.issue_id,
  pullId: pull.id,
  doerId,
})

/** Returns the last pusher of the head branch, else the author. */
async function pusherOf(services: Services, pull: PullRow): Promise<UserId> {
  const heads =
    pull.head_repo_id === null || pull.flow === 1
      ? []
      : await listBranchHeads(services.db, [{ repoId: pull.head_repo_id, names: [pull.head_branch] }])
  const issue = await findIssueById(services.db, pull.issue_id)
  return heads[0]?.pusher_id ?? (issue?.poster_id as UserId)
}

/** Returns whether a push rewrote the head, the commits it brought, and whether it changed the content of the diff. */
async function describePush(
  services: Services,
  repo: RepoRow,
  pull: PullRow,
  target: Oid,
): Promise<{ isForced: boolean; commits: readonly Oid[]; isContentChanged: boolean }> {
  const { git } = services
  const key = repo.git_key
  const old = pull.synced_oid
  const [isForward, base] = await Promise.all([
    git.isAncestor(key, old, target),
    git.readRef(key, branchRef(pull.base_branch)),
  ])
  const commits = isForward ? await newCommits(services, repo, target, base ? [old, base] : [old]) : [old, target]
  if (base === undefined) return { isForced: !isForward, commits, isContentChanged: true }
  const contentOf = async (head: Oid): Promise<string> => {
    const start = await git.mergeBase(key, base, head)
    return start === undefined ? head : git.patchId(key, start, head)
  }
  const [before, after] = await Promise.all([contentOf(old), contentOf(target)])
  return { isForced: !isForward, commits, isContentChanged: before !== after }
}
