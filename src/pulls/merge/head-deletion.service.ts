import type { SignedInRepoCtx } from '../../access/context.ts'
import type { RefEffect } from '../../access/contributions/ref-effect.ts'
import type { Tx } from '../../db/database.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { insertTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { Conflict, Forbidden } from '../../lib/errors.ts'
import type { PullId, UserId } from '../../lib/ids.ts'
import { branchRef, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { mustBeRemovable } from '../../refs/protection/protection.service.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { openHeadRepo } from '../head-repo.service.ts'
import { retarget } from '../pull-edit.service.ts'
import { findOpenBetween, findPullById, listBranchHeads, listOpenByBranch } from '../pull.store.ts'

/** What changes together with the deletion of a merged head branch: pull requests based on it get the base of the merged one. */
const headDeletionEffect =
  (pullId: PullId, doerId: UserId): RefEffect =>
  async (tx, { clock }) => {
    const pull = await findPullById(tx, pullId)
    if (!pull) return
    const by: Attribution = { doerId, atUnix: nowUnix(clock), isDated: false }
    await retarget(tx, by, await listChildren(tx, pull), pull.base_branch)
    await insertTimelineEntry(tx, by, pull.issue_id, { type: 'delete_branch', old_ref: pull.head_branch })
  }

/** Returns the open pull requests based on the head branch that can move to the base of the merged pull request. */
async function listChildren(tx: Tx, pull: PullRow): Promise<PullRow[]> {
  if (pull.head_repo_id !== pull.repo_id) return []
  const children: PullRow[] = []
  for (const child of await listOpenByBranch(tx, 'base', pull.repo_id, [pull.head_branch])) {
    if (child.head_repo_id === null) continue
    const isSelf = child.head_repo_id === pull.repo_id && child.head_branch === pull.base_branch
    const route = {
      repoId: child.repo_id,
      baseBranch: pull.base_branch,
      headRepoId: child.head_repo_id,
      headBranch: child.head_branch,
      flow: child.flow,
    }
    if (!isSelf && !(await findOpenBetween(tx, route))) children.push(child)
  }
  return children
}

/** Returns the head repository of a pull request, unless another open pull request uses its branch. */
async function openUnusedHead(ctx: SignedInRepoCtx, pull: PullRow): Promise<SignedInRepoCtx | undefined> {
  const head = await openHeadRepo(ctx, pull)
  if (!head) return undefined
  const users = await listOpenByBranch(ctx.db, 'head', head.repo.id, [pull.head_branch])
  return users.some((other) => other.id !== pull.id) ? undefined : head
}

/**
 * Deletes the head branch of a merged pull request, unless another open pull request uses it or it has moved since.
 * @throws Forbidden for default and protected branches, and for branches that the caller may not write (contract)
 */
export async function deleteHeadBranch(ctx: SignedInRepoCtx, pull: PullRow): Promise<void> {
  const head = await openUnusedHead(ctx, pull)
  if (head) await deleteFrom(ctx, head, pull)
}

/** @param head the head repository, with the rights of the caller in it */
async function deleteFrom(ctx: SignedInRepoCtx, head: SignedInRepoCtx, pull: PullRow): Promise<void> {
  const { repo } = head
  await mustBeRemovable(head, pull.head_branch)
  const change = { ref: branchRef(pull.head_branch), old: pull.synced_oid, new: zeroOid(repo.object_format) }
  const doerId = ctx.viewer.id
  const effect = headDeletionEffect(pull.id, doerId)
  // The result is ignored: a branch that has moved since the merge stays.
  await moveRefs(ctx, codeOf(repo), [change], { doerId, via: 'merge' }, { effect })
}

/** Returns the head repository of a merged pull request whose branch is still there as it was merged, and is not used. */
async function openMergedHead(ctx: SignedInRepoCtx, pull: PullRow): Promise<SignedInRepoCtx | undefined> {
  const head = pull.is_merged ? await openUnusedHead(ctx, pull) : undefined
  if (!head || head.repo.is_archived) return undefined
  const [branch] = await listBranchHeads(ctx.db, [{ repoId: head.repo.id, names: [pull.head_branch] }])
  return branch?.commit_oid === pull.synced_oid ? head : undefined
}

/** Returns whether the branch of a merged pull request is still there, and the caller may delete it. */
export async function mayDeleteMergedHead(ctx: SignedInRepoCtx, pull: PullRow): Promise<boolean> {
  return mayRemove(await openMergedHead(ctx, pull), pull)
}

/** Returns whether the caller may delete the branch of a pull request once it is merged. */
export async function mayDeleteHeadOnMerge(ctx: SignedInRepoCtx, pull: PullRow): Promise<boolean> {
  return mayRemove(await openUnusedHead(ctx, pull), pull)
}

async function mayRemove(head: SignedInRepoCtx | undefined, pull: PullRow): Promise<boolean> {
  if (!head) return false
  try {
    await mustBeRemovable(head, pull.head_branch)
    return true
  } catch (error) {
    if (error instanceof Forbidden) return false
    throw error
  }
}

/**
 * Deletes the branch of a pull request that was merged before.
 * @throws Forbidden for default and protected branches, and for branches that the caller may not write
 * @throws Conflict when the branch is gone, has moved, or another open pull request uses it
 */
export async function deleteMergedHead(ctx: SignedInRepoCtx, pull: PullRow): Promise<void> {
  const head = await openMergedHead(ctx, pull)
  if (!head) throw new Conflict(`the branch ${pull.head_branch} has changed since, or it is in use`, 'head_stays')
  await deleteFrom(ctx, head, pull)
}
