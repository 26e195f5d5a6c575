import type { SignedInRepoCtx } from '../access/context.ts'
import type { RepoRow, RepoUnit } from '../db/tables/repositories.ts'
import { Conflict, Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { mayPush } from '../refs/protection/branch-protection.policy.ts'
import { protectionOf } from '../refs/protection/protection.service.ts'
import { refusalOf } from '../code/branches/branch.service.ts'
import { codeOf } from '../refs/git-repository.ts'
import { chargeObjects } from '../refs/changes/object-charge.service.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { maxAttempts } from '../refs/push/push-turns.ts'
import type { CommitSigning } from '../refs/signing/signing.service.ts'
import { unitConfig } from '../repos/unit-config.ts'
import { openHeadRepo } from './head-repo.service.ts'
import { conflictOf, mergeInto, replayedBy } from './merge/merge-build.service.ts'
import { updateSigning } from './merge/merge-signing.service.ts'
import { upToDate } from './pull-check.service.ts'
import type { PullPair } from './pull.store.ts'

interface Head extends Pick<SignedInRepoCtx, 'config' | 'owner' | 'repo'> {
  readonly isProtected: boolean
}

/** Returns the head of a pull request; undefined when the caller may not push to it. */
async function pushableHead(ctx: SignedInRepoCtx, { pull }: PullPair): Promise<Head | undefined> {
  const head = await openHeadRepo(ctx, pull)
  if (!head || head.repo.is_archived) return undefined
  const { rule, actor } = await protectionOf(head, pull.head_branch)
  const mayMaintain = pull.allow_maintainer_edit && ctx.rights.canWrite('code')
  const rights = { canWrite: (unit: RepoUnit) => head.rights.canWrite(unit) || (mayMaintain && unit === 'code') }
  return mayPush(rule, { ...actor, rights }).allowed ? { ...head, isProtected: rule !== undefined } : undefined
}

/**
 * Updates the head of a pull request with its base, by merge or rebase. Does nothing when the head contains the base.
 * Source: contract (pulls: update).
 * @throws Invalid for a closed or merged pull request
 * @throws Conflict when base and head conflict
 * @throws Forbidden when the caller may not push to the head or may not rebase it
 */
export async function updateHead(ctx: SignedInRepoCtx, stored: PullPair, style: 'merge' | 'rebase'): Promise<void> {
  if (stored.pull.is_merged) throw new Invalid('the pull request is merged', 'pull_merged')
  if (stored.issue.is_closed) throw new Invalid('the pull request is closed', 'pull_closed')
  const head = await pushableHead(ctx, stored)
  if (!head) throw new Forbidden('only people who may push to the head branch may do this', 'head_not_pushable')
  const config = unitConfig(ctx.units, 'pulls')
  if (style === 'rebase' && (head.isProtected || !config?.allow_rebase_update)) {
    throw new Forbidden('the head branch may not be rebased', 'rebase_not_allowed')
  }
  const pull = await upToDate(ctx, stored.pull)
  const { git, repo } = ctx
  const ref = branchRef(pull.head_branch)
  const base = await git.readRef(repo.git_key, branchRef(pull.base_branch))
  if (base === undefined) throw new NotFound('the base branch does not exist', 'branch_not_found')
  const key = head.repo.git_key
  const isBrought = head.repo.id !== repo.id && (await git.missingObjects(key, [base])).length > 0
  if (isBrought) await git.fetchObjects(repo.git_key, key, [base])
  for (let attempt = 1; ; attempt++) {
    const tip = await git.readRef(key, ref)
    if (tip === undefined) throw new NotFound('the head branch does not exist', 'branch_not_found')
    if (await git.isAncestor(key, base, tip)) return
    if ((await git.mergeBase(key, base, tip)) === undefined) {
      throw new Conflict('the two histories are not related', 'unrelated_histories')
    }
    const title = `Merge branch '${pull.base_branch}' into ${pull.head_branch}`
    const signing = await updateSigning(ctx, head.repo, { tip, base })
    const made =
      style === 'merge'
        ? await mergeInto(ctx, key, tip, base, title, signing)
        : await rebaseOnto(ctx, key, base, tip, signing)
    const update = { ref, old: tip, new: made }
    const before = await chargeObjects(
      head,
      codeOf(head.repo),
      () => git.bytesSince(key, made, isBrought ? [tip] : [tip, base]),
      'size:git:all',
    )
    const origin = { doerId: ctx.viewer.id, via: 'api' } as const
    const result = await moveRefs(ctx, codeOf(head.repo), [update], origin, { before })
    if (result.ok) return
    if (result.reason !== 'stale' || attempt >= maxAttempts) throw refusalOf(result)
  }
}

async function rebaseOnto(
  ctx: SignedInRepoCtx,
  key: RepoRow['git_key'],
  base: Oid,
  tip: Oid,
  signing: CommitSigning | undefined,
): Promise<Oid> {
  const who = replayedBy(ctx, signing)
  const result = await ctx.git.rebaseCommits(key, { onto: base, from: tip, upstream: base, ...who })
  if (!result.ok) throw conflictOf(result)
  return result.tip
}
