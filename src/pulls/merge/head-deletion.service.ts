import { Type } from 'typebox'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { refEffect } from '../../access/contributions/ref-effect.ts'
import type { Tx } from '../../db/database.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { insertTimelineEntry } from '../../issues/timeline-entry.store.ts'
import type { PullId, UserId } from '../../lib/ids.ts'
import { branchRef, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { mustBeRemovable } from '../../refs/protection/protection.service.ts'
import { moveRefs } from '../../refs/journal/ref-door.service.ts'
import { openHeadRepo } from '../head-repo.service.ts'
import { retarget } from '../pull-edit.service.ts'
import { findOpenBetween, findPullById, listOpenByBranch } from '../pull.store.ts'

/**
 * The effect of deleting a merged head branch. The journal entry of the deletion carries it, so pull requests based on the
 * branch change their base exactly when git has deleted the branch.
 */
export const headDeletionEffect = refEffect({
  name: 'headDeletion',
  data: Type.Object({
    pullId: Type.Unsafe<PullId>(Type.Integer()),
    doerId: Type.Unsafe<UserId>(Type.Integer()),
  }),
  about: ({ pullId }) => pullId,
  async apply(tx, { pullId, doerId }, { clock }) {
    const pull = await findPullById(tx, pullId)
    if (!pull) return
    const by: Attribution = { doerId, atUnix: nowUnix(clock), isDated: false }
    await retarget(tx, by, await listChildren(tx, pull), pull.base_branch)
    await insertTimelineEntry(tx, by, pull.issue_id, { type: 'delete_branch', old_ref: pull.head_branch })
  },
})

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

/**
 * Deletes the head branch of a merged pull request, unless another open pull request uses it or it has moved since.
 * @throws Forbidden for default and protected branches, and for branches that the caller may not write (contract)
 */
export async function deleteHeadBranch(ctx: SignedInRepoCtx, pull: PullRow): Promise<void> {
  const head = await openHeadRepo(ctx, pull)
  if (!head) return
  const { repo } = head
  const users = await listOpenByBranch(ctx.db, 'head', repo.id, [pull.head_branch])
  if (users.some((other) => other.id !== pull.id)) return
  await mustBeRemovable(head, pull.head_branch)
  const change = { ref: branchRef(pull.head_branch), old: pull.synced_oid, new: zeroOid(repo.object_format) }
  const doerId = ctx.viewer.id
  const effect = headDeletionEffect.plan({ pullId: pull.id, doerId })
  // The result is ignored: a branch that has moved since the merge stays.
  await moveRefs(ctx, codeOf(repo), [change], { doerId, via: 'merge' }, { effect })
}
