import type { RepoCtx } from '../access/context.ts'
import type { PushedUpdate, ReadFrom } from '../git/git.ts'
import { Forbidden } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchOf, branchRef, isZeroOid, tagOf } from '../lib/refs.ts'
import { branchActor } from './branch-actor.ts'
import { effectiveRule, mayChangeBranch, type BranchChange } from './branch-protection.policy.ts'
import { listBranchRules, type BranchRule } from './branch-protection.store.ts'
import { mayChangeTag } from './tag-protection.policy.ts'
import { listTagRules } from './tag-protection.store.ts'
import { verifySignatures } from './verification.ts'

/** A reference that may not move as it was asked to, and why. */
export interface ProtectionRefusal {
  readonly ref: string
  readonly reason: string
}

/** Most new commits whose signatures are looked at in one push to a branch that takes signed ones only. */
const maxVerifiedCommits = 5000

/**
 * Judges moves of references by the protections of branches and tags, for pushes and for everything else that moves them.
 * It reads the new objects through `at`, so it works while they are in quarantine.
 * @returns the refusals; none when everything is allowed
 */
export async function checkProtections(
  ctx: RepoCtx,
  updates: readonly PushedUpdate[],
  options: { readonly at?: ReadFrom; readonly isDeployKey?: boolean } = {},
): Promise<readonly ProtectionRefusal[]> {
  const branches = updates.flatMap((update) => {
    const branch = branchOf(update.ref)
    return branch === undefined ? [] : [{ update, branch }]
  })
  const tags = updates.flatMap(({ ref }) => {
    const tag = tagOf(ref)
    return tag === undefined ? [] : [{ ref, tag }]
  })
  const [branchRules, tagRules] = await Promise.all([
    branches.length > 0 ? listBranchRules(ctx.db, ctx.repo.id) : [],
    tags.length > 0 ? listTagRules(ctx.db, ctx.repo.id) : [],
  ])
  if (branchRules.length === 0 && tagRules.length === 0) return []
  const actor = await branchActor(ctx, options)
  const refusals: ProtectionRefusal[] = []
  for (const { update, branch } of branches) {
    const rule = effectiveRule(branchRules, branch)
    if (!rule) continue
    const verdict = mayChangeBranch(
      rule,
      actor,
      await changeOf(ctx, rule, branch, update, options.at ?? ctx.repo.git_key),
    )
    if (!verdict.allowed) refusals.push({ ref: update.ref, reason: verdict.reason })
  }
  for (const { ref, tag } of tags) {
    const verdict = mayChangeTag(tagRules, tag, actor)
    if (!verdict.allowed) refusals.push({ ref, reason: verdict.reason })
  }
  return refusals
}

/** Like `checkProtections`; the first refusal is thrown as `Forbidden`. */
export async function mustBeAllowedByProtections(ctx: RepoCtx, updates: readonly PushedUpdate[]): Promise<void> {
  const [refusal] = await checkProtections(ctx, updates)
  if (refusal) throw new Forbidden(refusal.reason, 'branch_protected', { ref: refusal.ref })
}

/** What a rule looks at; only what it asks for is read from git. */
async function changeOf(
  ctx: RepoCtx,
  rule: BranchRule,
  branch: string,
  update: PushedUpdate,
  at: ReadFrom,
): Promise<BranchChange> {
  const { git } = ctx
  const isNew = isZeroOid(update.old)
  if (isZeroOid(update.new)) return { branch, kind: 'delete', isForced: false, paths: [], unsignedCommit: undefined }
  const kind = isNew ? 'create' : 'update'
  const isForced = !isNew && !(await git.isAncestor(at, update.old, update.new))
  const before = isNew ? await startOfNewBranch(ctx, update.new, at) : update.old
  const looksAtPaths = rule.protected_file_patterns !== '' || rule.unprotected_file_patterns !== ''
  const paths = looksAtPaths && !isForced ? await changedPaths(ctx, before, update.new, at) : []
  const unsignedCommit =
    rule.require_signed_commits && !isForced ? await firstUnsigned(ctx, before, update.new, at) : undefined
  return { branch, kind, isForced, paths, unsignedCommit }
}

/** Where a new branch left the default branch: what it is compared with. */
async function startOfNewBranch(ctx: RepoCtx, tip: Oid, at: ReadFrom): Promise<Oid | undefined> {
  const main = await ctx.git.readRef(ctx.repo.git_key, branchRef(ctx.repo.default_branch))
  return main && ctx.git.mergeBase(at, main, tip)
}

async function changedPaths(ctx: RepoCtx, base: Oid | undefined, head: Oid, at: ReadFrom): Promise<string[]> {
  const changes = await ctx.git.diffFiles(at, { base, head, renames: false })
  return changes.map((change) => change.path)
}

async function firstUnsigned(
  ctx: RepoCtx,
  base: Oid | undefined,
  head: Oid,
  at: ReadFrom,
): Promise<string | undefined> {
  const commits = await ctx.git.log(at, { from: [head], not: base ? [base] : [], limit: maxVerifiedCommits + 1 })
  // More than can be looked at is as good as unsigned.
  if (commits.length > maxVerifiedCommits) return commits[maxVerifiedCommits]?.oid
  const verdicts = await verifySignatures(ctx, commits)
  const index = verdicts.findIndex((verdict) => verdict.kind === 'unsigned' || !verdict.isGood)
  return commits[index]?.oid
}
