import type { RepoCtx } from '../../access/context.ts'
import type { PushedUpdate } from '../../git/git-service.ts'
import type { ReadFrom } from '../../git/git.ts'
import { Forbidden } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchOf, branchRef, isZeroOid, tagOf } from '../../lib/refs.ts'
import { branchActor } from './branch-actor.ts'
import { mayChangeBranch } from './branch-protection.policy.ts'
import { effectiveRule, ruleFinder, type BranchActor, type BranchChange } from './branch-protection.rules.ts'
import { listBranchRules, type BranchRule } from './branch-protection.store.ts'
import { mayChangeTag } from './tag-protection.policy.ts'
import { tagRuleFinder } from './tag-protection.rules.ts'
import { listTagRules } from './tag-protection.store.ts'
import { type Verification, verifySignatures } from '../signing/verification.ts'

/** A refused reference and the reason. */
export interface ProtectionRefusal {
  readonly code: string
  readonly ref: string
  readonly reason: string
}

/** New commits verified per push to a branch that requires signed commits. */
const maxVerifiedCommits = 5000

/** A change that is not written yet. */
export interface PlannedChange {
  readonly ref: string
  readonly kind: BranchChange['kind']
  /** Paths that will differ; undefined: they are checked later. */
  readonly paths: readonly string[] | undefined
  /** A description of a commit that will be unsigned; undefined when all commits are signed. */
  readonly unsignedCommit: string | undefined
}

/**
 * Checks changes of references against the protections of branches and tags. Pushes, the API and merges all use it.
 * Changes that exist in git are read through `at`, which may be a quarantine.
 * @returns the refusals; none when all changes are allowed
 */
export async function checkProtections(
  ctx: RepoCtx,
  changes: readonly (PushedUpdate | PlannedChange)[],
  options: { readonly at?: ReadFrom; readonly isDeployKey?: boolean } = {},
): Promise<readonly ProtectionRefusal[]> {
  const branches = changes.flatMap((change) => {
    const branch = branchOf(change.ref)
    return branch === undefined ? [] : [{ change, branch }]
  })
  const tags = changes.flatMap(({ ref }) => {
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
  const ruleOf = ruleFinder(branchRules, ctx.budget)
  for (const { change, branch } of branches) {
    const rule = ruleOf(branch)
    if (!rule) continue
    const looked = 'kind' in change ? change : await readChange(ctx, rule, change, options.at ?? ctx.repo.git_key)
    const verdict = mayChangeBranch(rule, actor, { isForced: false, ...looked, branch }, ctx.budget)
    if (!verdict.allowed) refusals.push({ ref: change.ref, code: verdict.code, reason: verdict.reason })
  }
  const rulesOf = tagRuleFinder(tagRules, ctx.budget)
  for (const { ref, tag } of tags) {
    const { about, undecided } = rulesOf(tag)
    const verdict = mayChangeTag(about, tag, undecided, actor)
    if (!verdict.allowed) refusals.push({ ref, code: verdict.code, reason: verdict.reason })
  }
  return refusals
}

/** Like `checkProtections`, but throws the first refusal as `Forbidden`. */
export async function mustBeAllowedByProtections(
  ctx: RepoCtx,
  changes: readonly (PushedUpdate | PlannedChange)[],
): Promise<void> {
  const [refusal] = await checkProtections(ctx, changes)
  if (refusal) throw new Forbidden(refusal.reason, refusal.code, { ref: refusal.ref })
}

/**
 * Throws `Forbidden` when the caller may not delete a branch: the default branch, a protected branch, or without write
 * access. The API and merges use it.
 */
export async function mustBeRemovable(ctx: RepoCtx, branch: string): Promise<void> {
  if (branch === ctx.repo.default_branch) throw new Forbidden(`${branch} is the default branch`, 'default_branch')
  if (!ctx.rights.canWrite('code')) {
    throw new Forbidden(`you have no write access to delete branch ${branch}`, 'branch_forbidden')
  }
  const removal = { ref: branchRef(branch), kind: 'delete', paths: [], unsignedCommit: undefined } as const
  await mustBeAllowedByProtections(ctx, [removal])
}

/** The rule of a branch, and the caller as the rule sees it. */
export async function protectionOf(
  ctx: RepoCtx,
  branch: string,
): Promise<{ readonly rule: BranchRule | undefined; readonly actor: BranchActor }> {
  const [rules, actor] = await Promise.all([listBranchRules(ctx.db, ctx.repo.id), branchActor(ctx)])
  return { rule: effectiveRule(rules, branch, ctx.budget), actor }
}

/** Reads the parts of a change that the rule needs. */
async function readChange(
  ctx: RepoCtx,
  rule: BranchRule,
  update: PushedUpdate,
  at: ReadFrom,
): Promise<Omit<BranchChange, 'branch'>> {
  const { git } = ctx
  const isNew = isZeroOid(update.old)
  if (isZeroOid(update.new)) return { kind: 'delete', isForced: false, paths: [], unsignedCommit: undefined }
  const kind = isNew ? 'create' : 'update'
  const isForced = !isNew && !(await git.isAncestor(at, update.old, update.new))
  if (isForced) return { kind, isForced, paths: [], unsignedCommit: undefined }
  const before = isNew ? await startOfNewBranch(ctx, update.new, at) : update.old
  const looksAtPaths = rule.protected_file_patterns !== '' || rule.unprotected_file_patterns !== ''
  const paths = looksAtPaths ? await changedPaths(ctx, before, update.new, at) : []
  const unsignedCommit = rule.require_signed_commits ? await firstUnsigned(ctx, before, update.new, at) : undefined
  return { kind, isForced, paths, unsignedCommit }
}

/** Where a new branch left the default branch. */
async function startOfNewBranch(ctx: RepoCtx, tip: Oid, at: ReadFrom): Promise<Oid | undefined> {
  const main = await ctx.git.readRef(ctx.repo.git_key, branchRef(ctx.repo.default_branch))
  return main && ctx.git.mergeBase(at, main, tip)
}

/** Paths that differ between two commits; a moved file has both paths. */
export async function changedPaths(
  ctx: Pick<RepoCtx, 'git'>,
  base: Oid | undefined,
  head: Oid,
  at: ReadFrom,
): Promise<string[]> {
  const changes = await ctx.git.diffFiles(at, { base, head, renames: false })
  return changes.map((change) => change.path)
}

/** The first commit between two commits without a good signature. */
export async function firstUnsigned(
  ctx: RepoCtx,
  base: Oid | undefined,
  head: Oid,
  at: ReadFrom,
): Promise<string | undefined> {
  const commits = await ctx.git.log(at, { from: [head], not: base ? [base] : [], limit: maxVerifiedCommits + 1 })
  // Above the limit the first unchecked commit counts as unsigned.
  if (commits.length > maxVerifiedCommits) return commits[maxVerifiedCommits]?.oid
  const verdicts = await verifySignatures(ctx, commits)
  for (const [index, { oid }] of commits.entries()) {
    if (isGood(verdicts[index])) continue
    // A list leaves out the signature of a commit with a very long message, so that one is read whole.
    const [verdict] = await verifySignatures(ctx, [await ctx.git.readCommit(at, oid)])
    if (!isGood(verdict)) return oid
  }
  return undefined
}

const isGood = (verdict: Verification | undefined): boolean => verdict?.kind === 'signed' && verdict.isGood
