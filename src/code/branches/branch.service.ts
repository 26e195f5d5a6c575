import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { BranchRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import type { Divergence, RefUpdateResult } from '../../git/git.ts'
import { Conflict, Forbidden, Invalid, NotFound, type Refusal } from '../../lib/errors.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Oid } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { branchRef, tagRef, zeroOid } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { renameBranchRule } from '../../refs/protection/branch-protection.store.ts'
import { countBranches, findBranch, insertBranchRename, listBranches } from './branch.store.ts'
import { findNamedCommit } from '../commits/named-commit.service.ts'
import { mustBeAllowedByProtections, mustBeRemovable } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveHead, moveRefs } from '../../refs/changes/ref-door.service.ts'

/** The branch with a name. Throws `NotFound`. */
export async function getBranch(ctx: RepoCtx, name: string): Promise<{ name: string; commit_oid: Oid }> {
  const branch = await findBranch(ctx.db, ctx.repo.id, name)
  if (!branch) throw new NotFound(`there is no branch ${name}`, 'branch_not_found')
  return branch
}

/**
 * A page of branches, by commit time, newest first, and their number.
 * @param words a part of the names; '' for all
 */
export async function getBranchPage(
  ctx: Pick<RepoCtx, 'db' | 'repo'>,
  page: Page,
  words = '',
): Promise<{ branches: readonly BranchRow[]; total: number }> {
  const [branches, total] = await rowsAndTotal(
    page,
    listBranches(ctx.db, ctx.repo.id, page, words),
    countBranches(ctx.db, ctx.repo.id, words),
  )
  return { branches, total }
}

/**
 * Returns how far branches are ahead of the default branch and behind it, by their commits. One whose history meets that of
 * the default branch too far back is missing.
 */
export async function getDivergences(
  ctx: RepoCtx,
  branches: readonly Pick<BranchRow, 'commit_oid'>[],
): Promise<ReadonlyMap<Oid, Divergence>> {
  const base = await findBranch(ctx.db, ctx.repo.id, ctx.repo.default_branch)
  if (!base) return new Map()
  return ctx.git.divergence(ctx.repo.git_key, { base: base.commit_oid, heads: pluck(branches, 'commit_oid') })
}

/** Converts a failed reference update to an error. */
export function refusalOf(result: Extract<RefUpdateResult, { ok: false }>): Refusal {
  const name = result.ref.replace(/^refs\/(?:heads|tags)\//, '')
  switch (result.reason) {
    case 'exists':
      return new Conflict(`${name} exists already`, 'ref_exists')
    case 'conflict':
      return new Conflict(`${name} cannot exist beside another name: ${result.message}`, 'ref_conflict')
    case 'stale':
      return new Conflict(`${name} was changed meanwhile`, 'ref_changed')
    case 'invalid':
      return new Invalid(`${name} cannot be set: ${result.message}`, 'ref_invalid')
  }
}

/** The start of a new branch. */
export interface BranchSource {
  /** A branch, tag, full reference or commit; takes precedence over `branch`. */
  readonly ref: string | undefined
  readonly branch: string | undefined
}

/**
 * Creates a branch. Throws `NotFound` for an unknown source or an empty repository, `Conflict` when a branch or tag has
 * the name or the names collide, `Forbidden` for mirrors and protected names.
 */
export async function createBranch(
  ctx: SignedInRepoCtx,
  name: string,
  source: BranchSource,
): Promise<{ name: string; commit_oid: Oid }> {
  const { git, repo } = ctx
  if (repo.is_empty) throw new NotFound('the repository is empty', 'repo_empty')
  if (repo.is_mirror) {
    throw new Forbidden('the repository is a mirror: create the branch in its source', 'repo_is_mirror')
  }
  const start = await startOf(ctx, source)
  if (await git.readRef(repo.git_key, tagRef(name))) throw new Conflict(`there is a tag ${name} already`, 'tag_exists')
  const update = { ref: branchRef(name), old: zeroOid(repo.object_format), new: start }
  await mustBeAllowedByProtections(ctx, [update])
  const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
  return { name, commit_oid: start }
}

async function startOf(ctx: RepoCtx, source: BranchSource): Promise<Oid> {
  const { git, repo } = ctx
  if (source.ref) {
    const found = await findNamedCommit(git, repo.git_key, source.ref)
    if (!found) throw new NotFound(`there is no branch, tag or commit ${source.ref}`, 'ref_not_found')
    return found.commit
  }
  return (await getBranch(ctx, source.branch || repo.default_branch)).commit_oid
}

/** Deletes a branch. Throws `Forbidden` for the default branch and protected ones. */
export async function removeBranch(ctx: SignedInRepoCtx, name: string): Promise<void> {
  const { repo } = ctx
  const { commit_oid: head } = await getBranch(ctx, name)
  await mustBeRemovable(ctx, name)
  const update = { ref: branchRef(name), old: head, new: zeroOid(repo.object_format) }
  const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
}

/**
 * Renames a branch with its default branch setting, its exact rules and its pull requests. The new reference is created
 * first and the old one deleted last, so that a name always resolves. Throws `Invalid` when the new name exists.
 */
export async function renameBranch(ctx: SignedInRepoCtx, oldName: string, newName: string): Promise<void> {
  const { git, repo, viewer } = ctx
  const origin = { doerId: viewer.id, via: 'api' } as const
  const { commit_oid: head } = await getBranch(ctx, oldName)
  if (await git.readRef(repo.git_key, branchRef(newName))) {
    throw new Invalid(`there is a branch ${newName} already`, 'branch_exists')
  }
  const none = zeroOid(repo.object_format)
  const made = await moveRefs(ctx, codeOf(repo), [{ ref: branchRef(newName), old: none, new: head }], origin)
  if (!made.ok) throw refusalOf(made)
  const isDefault = oldName === repo.default_branch
  await transaction(ctx.db, async (tx) => {
    await insertBranchRename(tx, repo.id, { oldName, newName }, nowUnix(ctx.clock))
    await renameBranchRule(tx, repo.id, oldName, newName)
    if (isDefault) await moveHead(tx, ctx, codeOf(repo), newName)
    await publish(tx, 'branch.renamed', { repoId: repo.id, doerId: viewer.id, oldName, newName })
  })
  const gone = await moveRefs(ctx, codeOf(repo), [{ ref: branchRef(oldName), old: head, new: none }], origin)
  if (!gone.ok) throw refusalOf(gone)
}
