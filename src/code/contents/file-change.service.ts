import type { SignedInRepoCtx } from '../../access/context.ts'
import type { Commit, FileEdit, PathEntry, PlannedEdits, TreeChange } from '../../git/git.ts'
import { BadRequest, Invalid, NotFound, type Refusal } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef, zeroOid } from '../../lib/refs.ts'
import { attributesOfPaths } from './attributes.service.ts'
import { refusalOf } from '../branches/branch.service.ts'
import { defaultMessage, withSignOff } from './file-change.rules.ts'
import { callerIdentity, commitPeople, type CommitPeople, type GivenPeople } from '../commits/commit-identities.ts'
import { mustBeAllowedByProtections } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/journal/ref-door.service.ts'
import { isSignedWell, signedCommit, signingFor, type CommitSigning } from '../../refs/signing/signing.service.ts'

/** What all changes of files say besides the files. */
export interface ChangeOptions extends GivenPeople {
  readonly message?: string | undefined
  readonly branch?: string | undefined
  readonly newBranch: string | undefined
  readonly signoff?: boolean | undefined
}

/** How refusals that depend on the operation look. */
interface ChangeRules {
  readonly whenNewBranchExists: (message: string) => Error
}

const strict: ChangeRules = { whenNewBranchExists: (message) => new Invalid(message, 'branch_exists') }

/** Deletions answer 400 where other changes answer 422 (observed). */
export const deletionRules: ChangeRules = { whenNewBranchExists: (message) => new BadRequest(message, 'branch_exists') }

/** A file that was written. */
export interface ChangedEntry {
  readonly entry: PathEntry
  /** False when it was written as it was already. */
  readonly isChanged: boolean
}

/** A change that was made. */
export interface MadeChange {
  /** As its answer shows it. */
  readonly commit: Commit
  /** The branch that has it. */
  readonly branch: string
  /** For each file of the request what it is now; undefined for deletions. */
  readonly entries: readonly (ChangedEntry | undefined)[]
}

/** How often a change is tried again when its branch moves meanwhile. */
const maxAttempts = 10

/** Where a change begins and ends. */
interface Target {
  readonly branch: string
  /** The commit it is made on; undefined in an empty repository. */
  readonly head: Oid | undefined
  /** What the branch that gets it is at; undefined when it is to be made. */
  readonly old: Oid | undefined
}

/**
 * Commits changes of files to a branch, or to a new branch made from it. In an empty repository the first change makes the
 * branch. The branch may move meanwhile: then the change is checked and made again on what is there.
 * Errors, in the order they are looked for: unknown branch `NotFound`, a new one that exists `Invalid`; protections
 * `Forbidden`; unknown file `NotFound`, anything else about names, paths and object ids `Invalid`.
 */
export async function changeFiles(
  ctx: SignedInRepoCtx,
  edits: readonly FileEdit[],
  options: ChangeOptions,
  rules: ChangeRules = strict,
): Promise<MadeChange> {
  const { git, repo } = ctx
  const message = options.message?.trim() || defaultMessage(edits)
  const paths = edits.flatMap(({ path, fromPath }) => (fromPath === undefined ? [path] : [path, fromPath]))
  const made = await commitToBranch(ctx, options, rules, message, paths, async (head) => {
    if (!head) mustStartEmpty(edits)
    const planned = await git.planEdits(repo.git_key, head, edits)
    if (!planned.ok) throw refusalOfEdit(planned)
    return { base: head, changes: await withLargeFilesKept(ctx, head, planned.changes) }
  })
  return { ...made, entries: await writtenEntries(ctx, made.commit, edits) }
}

/** Files that the attributes of the branch say are kept outside of git are, and pointers to them are committed. */
async function withLargeFilesKept(
  ctx: SignedInRepoCtx,
  head: Oid | undefined,
  changes: readonly TreeChange[],
): Promise<readonly TreeChange[]> {
  const { git, repo } = ctx
  const { largeFiles } = ctx.parts
  if (!head || !largeFiles?.isOn(ctx)) return changes
  const paths = changes.flatMap((change) => (change.op === 'write' ? [change.path] : []))
  const attributes = await attributesOfPaths(git, repo.git_key, head, paths)
  const kept: TreeChange[] = []
  for (const change of changes) {
    const isLarge =
      change.op === 'write' &&
      Buffer.isBuffer(change.content) &&
      change.mode !== '120000' &&
      attributes.of(change.path).get('filter') === largeFiles.filter
    // One after the other: each is a file that is written and flushed.
    kept.push(isLarge ? { ...change, content: await largeFiles.keep(ctx, change.content) } : change)
  }
  return kept
}

/** What the files of a change are now. */
async function writtenEntries(
  { git, repo }: SignedInRepoCtx,
  { oid, parents: [parent] }: Commit,
  edits: readonly FileEdit[],
): Promise<(ChangedEntry | undefined)[]> {
  const paths = edits.flatMap(({ operation, path }) => (operation === 'delete' ? [] : [path]))
  const [after, before] = await Promise.all([
    git.findPaths(repo.git_key, oid, paths),
    parent === undefined ? undefined : git.findPaths(repo.git_key, parent, paths),
  ])
  return edits.map(({ operation, path }) => {
    const entry = operation === 'delete' ? undefined : after.get(path)
    const old = before?.get(path)
    return entry && { entry: { ...entry, path }, isChanged: old?.oid !== entry.oid || old.mode !== entry.mode }
  })
}

/** Commits a unified difference, whose context may have moved; one that does not apply is `Invalid`. */
export async function applyPatchToBranch(
  ctx: SignedInRepoCtx,
  patch: Buffer,
  options: ChangeOptions,
): Promise<MadeChange> {
  const { git, repo } = ctx
  const message = options.message?.trim() || 'apply-patch'
  // Which files it changes is known only when it has been applied.
  const made = await commitToBranch(ctx, options, strict, message, undefined, async (head) => {
    if (!head) throw new NotFound('the repository is empty', 'repo_empty')
    const { tree } = await git.readCommit(repo.git_key, head)
    const applied = await git.applyPatch(repo.git_key, tree, patch)
    if (!applied.ok) throw new Invalid(`the patch does not apply: ${applied.message}`, 'patch_does_not_apply')
    return applied.tree
  })
  return { ...made, entries: [] }
}

type NewTree = Parameters<SignedInRepoCtx['git']['writeCommit']>[1]['tree']

/** @param paths of the files that change; undefined: they are known when the tree is made */
async function commitToBranch(
  ctx: SignedInRepoCtx,
  options: ChangeOptions,
  rules: ChangeRules,
  plainMessage: string,
  paths: readonly string[] | undefined,
  makeTree: (head: Oid | undefined) => Promise<NewTree>,
): Promise<{ commit: Commit; branch: string }> {
  const { git, repo, viewer } = ctx
  const people = await commitPeople(ctx, options)
  const message = options.signoff ? withSignOff(plainMessage, people.committer) : plainMessage
  for (let attempt = 1; ; attempt++) {
    const { branch, head, old } = await targetOf(ctx, options, rules)
    const ref = branchRef(branch)
    // Before anything is made, so that whoever may not write here learns that first, and nothing of what is there.
    const kind = old === undefined ? 'create' : 'update'
    const signing = await signingOf(ctx, people, head)
    const unsignedCommit = signing ? undefined : 'what is written here'
    await mustBeAllowedByProtections(ctx, [{ ref, kind, paths, unsignedCommit }])
    const tree = await makeTree(head)
    const commit = signedCommit(signing, { ...people, message, isMessageWhole: options.signoff ?? false })
    const { oid } = await git.writeCommit(repo.git_key, { ...commit, parents: head ? [head] : [], tree })
    const update = { ref, old: old ?? zeroOid(repo.object_format), new: oid }
    // What a new branch has below may be new to its protections as well.
    const isSeenWhole = paths !== undefined && (old !== undefined || !signing)
    if (!isSeenWhole) await mustBeAllowedByProtections(ctx, [update])
    const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: viewer.id, via: 'api' })
    if (result.ok) {
      const commit = await git.readCommit(repo.git_key, oid)
      return { branch, commit }
    }
    if (result.reason !== 'stale' || attempt === maxAttempts) throw refusalOf(result)
  }
}

/** The instance signs what the caller commits, not what the request says that somebody else does. */
async function signingOf(
  ctx: SignedInRepoCtx,
  { committer }: CommitPeople,
  head: Oid | undefined,
): Promise<CommitSigning | undefined> {
  const { name, email } = callerIdentity(ctx)
  if (committer.name !== name || committer.email !== email) return undefined
  return signingFor(ctx, 'crudActions', ctx.viewer.id, ctx.repo, {
    parentsigned: () => isSignedWell(ctx, ctx.repo.git_key, head),
  })
}

async function targetOf(ctx: SignedInRepoCtx, options: ChangeOptions, rules: ChangeRules): Promise<Target> {
  const { git, repo } = ctx
  const from = options.branch || repo.default_branch
  const branch = options.newBranch || from
  if (repo.is_empty && (await git.isEmpty(repo.git_key))) return { branch, head: undefined, old: undefined }
  const head = await git.readRef(repo.git_key, branchRef(from))
  if (!head) throw new NotFound(`there is no branch ${from}`, 'branch_not_found')
  if (branch === from) return { branch, head, old: head }
  if (await git.readRef(repo.git_key, branchRef(branch))) {
    throw rules.whenNewBranchExists(`there is a branch ${branch} already`)
  }
  return { branch, head, old: undefined }
}

/** An empty repository has nothing that could be updated or deleted. */
function mustStartEmpty(edits: readonly FileEdit[]): void {
  const change = edits.find(({ operation }) => operation !== 'create')
  if (change?.operation === 'delete') throw new NotFound('the repository is empty', 'repo_empty')
  if (change) throw new Invalid('the repository is empty: there is nothing to update', 'repo_empty')
}

/** An edit that does not fit what is there, as a refusal. Deletions answer otherwise than other changes (observed). */
function refusalOfEdit({ edit, problem }: Extract<PlannedEdits, { ok: false }>): Refusal {
  const { path } = problem
  const isDeletion = edit.operation === 'delete'
  switch (problem.reason) {
    case 'missing':
      return new NotFound(`there is no ${path}`, 'path_not_found')
    case 'is_folder':
      return isDeletion
        ? new NotFound(`${path} is a folder`, 'path_is_folder')
        : new Invalid(`${path} is a folder`, 'path_is_folder')
    case 'no_folder':
      return new Invalid(`${path} is no folder`, 'path_no_folder')
    case 'other_content': {
      const message = `${path} is ${problem.found}, not ${edit.expectedOid}`
      return isDeletion ? new BadRequest(message, 'sha_mismatch') : new Invalid(message, 'sha_mismatch')
    }
    case 'taken':
      return new Invalid(problem.by === 'folder' ? `${path} is a folder` : `${path} exists already`, 'path_exists')
  }
}
