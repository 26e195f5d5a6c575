import type { SignedInRepoCtx } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import type { BlobFile, Commit, FileEdit, PathEntry, PlannedEdits, TreeChange } from '../../git/git.ts'
import { BadRequest, Invalid, NotFound, type Refusal } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef, zeroOid } from '../../lib/refs.ts'
import { attributesOfPaths } from './attributes.service.ts'
import { refusalOf } from '../branches/branch.service.ts'
import { defaultMessage, replayMessage, withSignOff } from './file-change.rules.ts'
import { formatCommitTime } from '../commits/commit-time.ts'
import { callerIdentity, commitPeople, type CommitPeople, type GivenPeople } from '../commits/commit-identities.ts'
import { mustBeAllowedByProtections } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { chargeObjects } from '../../refs/changes/object-charge.service.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { maxAttempts, takeTurn } from '../../refs/push/push-turns.ts'
import { hasGoodSignature, signedCommit, signingFor, type CommitSigning } from '../../refs/signing/signing.service.ts'

/** Options of all file changes. */
export interface ChangeOptions extends GivenPeople {
  readonly message?: string | undefined
  readonly branch?: string | undefined
  readonly newBranch: string | undefined
  readonly signoff?: boolean | undefined
  /** Where the new branch begins; the repository has this commit. The default is the head of `branch`. */
  readonly start?: Oid | undefined
}

/** Errors that depend on the operation. */
export interface ChangeRules {
  readonly whenNewBranchExists: (message: string) => Error
}

const strict: ChangeRules = { whenNewBranchExists: (message) => new Invalid(message, 'branch_exists') }

/** Deletions answer 400 where other changes answer 422 (observed). */
export const deletionRules: ChangeRules = { whenNewBranchExists: (message) => new BadRequest(message, 'branch_exists') }

/** A written file. */
export interface ChangedEntry {
  readonly entry: PathEntry
  /** False when its content and mode stayed the same. */
  readonly isChanged: boolean
}

/** A committed change. */
export interface MadeChange {
  readonly commit: Commit
  /** The branch that holds the commit. */
  readonly branch: string
  /** The entry of each file in the request; undefined for deletions. */
  readonly entries: readonly (ChangedEntry | undefined)[]
}

/** Start and destination of a change. */
interface Target {
  readonly branch: string
  /** The parent commit; undefined in an empty repository. */
  readonly head: Oid | undefined
  /** Present value of the destination; undefined when it is to be created. */
  readonly old: Oid | undefined
}

/**
 * Commits file changes to a branch, or to a new branch made from it. In an empty repository the first change creates
 * the branch. When the branch moves meanwhile, the change is checked and made again.
 *
 * Errors in order: unknown branch `NotFound`, existing new branch `Invalid`, protections `Forbidden`, unknown file
 * `NotFound`, bad names, paths and ids `Invalid`.
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

/** Throws what `changeFiles` throws for edits that a commit does not allow. Writes nothing. */
export async function checkEdits({ git, repo }: SignedInRepoCtx, head: Oid, edits: readonly FileEdit[]): Promise<void> {
  const planned = await git.planEdits(repo.git_key, head, edits)
  if (!planned.ok) throw refusalOfEdit(planned)
}

/** Stores files that attributes keep outside git, and commits pointers instead. */
async function withLargeFilesKept(
  ctx: SignedInRepoCtx,
  head: Oid | undefined,
  changes: readonly TreeChange[],
): Promise<readonly TreeChange[]> {
  const { repo } = ctx
  const { largeFiles } = contributionsOf(ctx)
  if (!head || !largeFiles?.isOn(ctx)) return changes
  const paths = changes.flatMap((change) => (change.op === 'write' ? [change.path] : []))
  const attributes = await attributesOfPaths(ctx, repo.git_key, head, paths)
  const kept: TreeChange[] = []
  for (const change of changes) {
    const isLarge =
      change.op === 'write' &&
      isWhole(change.content) &&
      change.mode !== '120000' &&
      attributes.of(change.path).get('filter') === largeFiles.filter
    // One by one: each file is written and synced.
    kept.push(isLarge ? { ...change, content: await largeFiles.keep(ctx, change.content) } : change)
  }
  return kept
}

/** Whether a content is here, so that it can be kept elsewhere. */
const isWhole = (content: (TreeChange & { readonly op: 'write' })['content']): content is Buffer | BlobFile =>
  Buffer.isBuffer(content) || 'open' in content

/** The written entries of a change. */
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

/** Commits a unified diff, whose context may have moved. Throws `Invalid` when it does not apply. */
export async function applyPatchToBranch(
  ctx: SignedInRepoCtx,
  patch: Buffer,
  options: ChangeOptions,
): Promise<MadeChange> {
  const { git, repo } = ctx
  const message = options.message?.trim() || 'apply-patch'
  // The changed files are known only after applying it.
  const made = await commitToBranch(ctx, options, strict, message, undefined, async (head) => {
    if (!head) throw new NotFound('the repository is empty', 'repo_empty')
    const { tree } = await git.readCommit(repo.git_key, head)
    const applied = await git.applyPatch(repo.git_key, tree, patch)
    if (!applied.ok) throw new Invalid(`the patch does not apply: ${applied.message}`, 'patch_does_not_apply')
    return applied.tree
  })
  return { ...made, entries: [] }
}

/**
 * Commits on a branch what a commit changed against its first parent, or the reverse of it. A repeated change keeps its
 * author. Throws `Invalid` when it conflicts with the branch or changes nothing there.
 */
export async function replayCommit(
  ctx: SignedInRepoCtx,
  { oid, author, message: original }: Commit,
  isReverse: boolean,
  options: Pick<ChangeOptions, 'message' | 'branch' | 'newBranch'>,
): Promise<MadeChange> {
  const { git, repo } = ctx
  const people = isReverse
    ? {}
    : { author, committer: callerIdentity(ctx), dates: { author: formatCommitTime(author) } }
  const message = options.message?.trim() || replayMessage(original, oid, isReverse)
  // The changed files are known only after the merge.
  const made = await commitToBranch(
    ctx,
    { ...options, ...people },
    strict,
    message,
    undefined,
    async (head) => {
      if (!head) throw new NotFound('the repository is empty', 'repo_empty')
      const merged = await git.replayChange(repo.git_key, { commit: oid, onto: head, isReverse })
      if (!merged.clean) {
        const paths = merged.conflicts.slice(0, shownConflicts).join(', ')
        throw new Invalid(`the branch has other changes at the same places in ${paths}`, 'replay_conflict')
      }
      const { tree } = await git.readCommit(repo.git_key, head)
      if (merged.tree === tree) throw new Invalid('the branch would not change', 'replay_empty')
      return merged.tree
    },
    [oid],
  )
  return { ...made, entries: [] }
}

/** Paths that a refusal names. */
const shownConflicts = 5

type NewTree = Parameters<SignedInRepoCtx['git']['writeCommit']>[1]['tree']

/**
 * @param paths of changed files; undefined when the tree must be made first
 * @param sources commits of the repository whose files the tree may have
 */
async function commitToBranch(
  ctx: SignedInRepoCtx,
  options: ChangeOptions,
  rules: ChangeRules,
  plainMessage: string,
  paths: readonly string[] | undefined,
  makeTree: (head: Oid | undefined) => Promise<NewTree>,
  sources: readonly Oid[] = [],
): Promise<{ commit: Commit; branch: string }> {
  const { git, repo, viewer } = ctx
  const people = await commitPeople(ctx, options)
  const message = options.signoff ? withSignOff(plainMessage, people.committer) : plainMessage
  const branchOfTurn = branchRef(options.newBranch || options.branch || repo.default_branch)
  const leaveTurn = await takeTurn(ctx, repo.git_key, [branchOfTurn])
  try {
    for (let attempt = 1; ; attempt++) {
      const { branch, head, old } = await targetOf(ctx, options, rules)
      const ref = branchRef(branch)
      // Checked before anything is written, so that a caller without access learns nothing about the contents.
      const kind = old === undefined ? 'create' : 'update'
      const signing = await signingOf(ctx, people, head)
      const unsignedCommit = signing ? undefined : 'what is written here'
      await mustBeAllowedByProtections(ctx, [{ ref, kind, paths, unsignedCommit }])
      const tree = await makeTree(head)
      const commit = signedCommit(signing, { ...people, message, isMessageWhole: options.signoff ?? false })
      const { oid, blobs } = await git.writeCommit(repo.git_key, { ...commit, parents: head ? [head] : [], tree })
      const update = { ref, old: old ?? zeroOid(repo.object_format), new: oid }
      // The history of a new branch may be new to its rules.
      const isSeenWhole = paths !== undefined && (old !== undefined || !signing)
      if (!isSeenWhole) await mustBeAllowedByProtections(ctx, [update])
      const written = blobs.filter((blob) => blob !== undefined)
      // Of a patch or a merge only the tree is known, so the new objects are counted from the commit.
      const before = await chargeObjects(ctx, codeOf(repo), () =>
        typeof tree === 'string'
          ? git.bytesSince(repo.git_key, oid, head ? [head, ...sources] : sources)
          : git.looseBytes(repo.git_key, written),
      )
      const origin = { doerId: viewer.id, via: 'api' } as const
      const result = await moveRefs(ctx, codeOf(repo), [update], origin, { before })
      if (result.ok) {
        const commit = await git.readCommit(repo.git_key, oid)
        return { branch, commit }
      }
      if (result.reason !== 'stale' || attempt === maxAttempts) throw refusalOf(result)
    }
  } finally {
    leaveTurn()
  }
}

/** The instance signs only commits whose committer is the caller. */
async function signingOf(
  ctx: SignedInRepoCtx,
  { committer }: CommitPeople,
  head: Oid | undefined,
): Promise<CommitSigning | undefined> {
  const { name, email } = callerIdentity(ctx)
  if (committer.name !== name || committer.email !== email) return undefined
  return signingFor(ctx, 'crudActions', ctx.viewer.id, ctx.repo, {
    parentsigned: () => hasGoodSignature(ctx, ctx.repo.git_key, head),
  })
}

async function targetOf(ctx: SignedInRepoCtx, options: ChangeOptions, rules: ChangeRules): Promise<Target> {
  const { git, repo } = ctx
  const from = options.branch || repo.default_branch
  const branch = options.newBranch || from
  if (options.start !== undefined) {
    if (await git.readRef(repo.git_key, branchRef(branch))) {
      throw rules.whenNewBranchExists(`there is a branch ${branch} already`)
    }
    return { branch, head: options.start, old: undefined }
  }
  if (repo.is_empty && (await git.isEmpty(repo.git_key))) return { branch, head: undefined, old: undefined }
  const head = await git.readRef(repo.git_key, branchRef(from))
  if (!head) throw new NotFound(`there is no branch ${from}`, 'branch_not_found')
  if (branch === from) return { branch, head, old: head }
  if (await git.readRef(repo.git_key, branchRef(branch))) {
    throw rules.whenNewBranchExists(`there is a branch ${branch} already`)
  }
  return { branch, head, old: undefined }
}

/** An empty repository has nothing to update or delete. */
function mustStartEmpty(edits: readonly FileEdit[]): void {
  const change = edits.find(({ operation }) => operation !== 'create')
  if (change?.operation === 'delete') throw new NotFound('the repository is empty', 'repo_empty')
  if (change) throw new Invalid('the repository is empty: there is nothing to update', 'repo_empty')
}

/** Converts an edit problem to an error. Deletions have other statuses (observed). */
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
