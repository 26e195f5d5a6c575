import type { SignedInRepoCtx } from '../access/context.ts'
import type { Commit, PathEntry, TreeChange, TreeEntry } from '../git/git.ts'
import { BadRequest, Invalid, NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { refusalOf } from './branch.service.ts'
import type { CommitDateOptions, Identity } from './content.schemas.ts'
import { defaultMessage, withSignOff, type FileChangeInput } from './file-change.rules.ts'
import { commitPeople } from './commit-identities.ts'
import { mustBeAllowedByProtections } from '../refs/protection.service.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/ref-door.service.ts'

/** What all changes of files say besides the files. */
export interface ChangeOptions {
  readonly message?: string | undefined
  readonly branch?: string | undefined
  readonly new_branch?: string | undefined
  readonly author?: Identity | undefined
  readonly committer?: Identity | undefined
  readonly dates?: CommitDateOptions | undefined
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
 * Errors: unknown branch or file `NotFound`; anything about names, paths and object ids `Invalid`; protections `Forbidden`.
 */
export async function changeFiles(
  ctx: SignedInRepoCtx,
  changes: readonly FileChangeInput[],
  options: ChangeOptions,
  rules: ChangeRules = strict,
): Promise<MadeChange> {
  const message = options.message?.trim() || defaultMessage(changes)
  const made = await commitToBranch(ctx, options, rules, message, async ({ head }) => {
    if (!head) mustStartEmpty(changes)
    return { tree: { base: head, changes: await treeChanges(ctx, head, changes) } }
  })
  const entries = await writtenEntries(ctx, made.commit, changes)
  return { ...made, entries }
}

/** What the files of a change are now. */
async function writtenEntries(
  ctx: SignedInRepoCtx,
  commit: Commit,
  changes: readonly FileChangeInput[],
): Promise<(ChangedEntry | undefined)[]> {
  const [before, after] = [new CommitTree(ctx, commit.parents[0]), new CommitTree(ctx, commit.oid)]
  const entries: (ChangedEntry | undefined)[] = []
  for (const { operation, path } of changes) {
    const entry = operation === 'delete' ? undefined : await after.entry(path)
    const old = entry && (await before.entry(path))
    entries.push(entry && { entry: { ...entry, path }, isChanged: old?.oid !== entry.oid || old.mode !== entry.mode })
  }
  return entries
}

/** Commits a unified difference, whose context may have moved; one that does not apply is `Invalid`. */
export async function applyPatchToBranch(
  ctx: SignedInRepoCtx,
  patch: Buffer,
  options: ChangeOptions,
): Promise<MadeChange> {
  const message = options.message?.trim() || 'apply-patch'
  const made = await commitToBranch(ctx, options, strict, message, async ({ head }) => {
    if (!head) throw new NotFound('the repository is empty', 'repo_empty')
    const { tree } = await ctx.git.readCommit(ctx.repo.git_key, head)
    const applied = await ctx.git.applyPatch(ctx.repo.git_key, tree, patch)
    if (!applied.ok) throw new Invalid(`the patch does not apply: ${applied.message}`, 'patch_does_not_apply')
    return { tree: applied.tree }
  })
  return { ...made, entries: [] }
}

type NewTree = Parameters<SignedInRepoCtx['git']['writeCommit']>[1]['tree']

async function commitToBranch(
  ctx: SignedInRepoCtx,
  options: ChangeOptions,
  rules: ChangeRules,
  plainMessage: string,
  makeTree: (target: Target) => Promise<{ tree: NewTree }>,
): Promise<{ commit: Commit; branch: string }> {
  const { git, repo, viewer } = ctx
  const people = await commitPeople(ctx, options, options.dates)
  const message = options.signoff ? withSignOff(plainMessage, people.committer) : plainMessage
  for (let attempt = 1; ; attempt++) {
    const target = await targetOf(ctx, options, rules)
    const { tree } = await makeTree(target)
    const parents = target.head ? [target.head] : []
    const { oid } = await git.writeCommit(repo.git_key, { parents, tree, ...people, message })
    const update = { ref: branchRef(target.branch), old: target.old ?? zeroOid(repo.object_format), new: oid }
    await mustBeAllowedByProtections(ctx, [update])
    const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: viewer.id, via: 'api' })
    if (result.ok) {
      const commit = await git.readCommit(repo.git_key, oid)
      // The answer shows a signed-off message without the newline that git puts at its end (observed).
      return {
        branch: target.branch,
        commit: options.signoff ? { ...commit, message: commit.message.trimEnd() } : commit,
      }
    }
    if (result.reason !== 'stale' || attempt === maxAttempts) throw refusalOf(result)
  }
}

async function targetOf(ctx: SignedInRepoCtx, options: ChangeOptions, rules: ChangeRules): Promise<Target> {
  const { git, repo } = ctx
  const from = options.branch || repo.default_branch
  const branch = options.new_branch || from
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
function mustStartEmpty(changes: readonly FileChangeInput[]): void {
  const change = changes.find(({ operation }) => operation !== 'create')
  if (change?.operation === 'delete') throw new NotFound('the repository is empty', 'repo_empty')
  if (change) throw new Invalid('the repository is empty: there is nothing to update', 'repo_empty')
}

/** What a commit holds, each folder read once. */
class CommitTree {
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>()

  constructor(
    readonly ctx: SignedInRepoCtx,
    readonly commit: Oid | undefined,
  ) {}

  /** The entry of a path, undefined when there is none. */
  async entry(path: string): Promise<TreeEntry | undefined> {
    const slash = path.lastIndexOf('/')
    return (await this.#folder(path.slice(0, Math.max(0, slash)))).get(path.slice(slash + 1))
  }

  #folder(path: string): Promise<ReadonlyMap<string, TreeEntry>> {
    let folder = this.#folders.get(path)
    if (!folder) {
      folder = this.#readFolder(path)
      this.#folders.set(path, folder)
    }
    return folder
  }

  async #readFolder(path: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const treeish = path === '' ? this.commit : await this.#treeOf(path)
    if (treeish === undefined) return new Map()
    const entries = await this.ctx.git.readTree(this.ctx.repo.git_key, treeish)
    return new Map(entries.map((entry) => [entry.name, entry]))
  }

  async #treeOf(path: string): Promise<Oid | undefined> {
    const entry = await this.entry(path)
    return entry?.type === 'tree' ? entry.oid : undefined
  }
}

/** A tree as it is after the changes that were looked at so far. */
class TreeView {
  readonly #changed = new Map<string, 'file' | 'gone'>()
  /** Folders that a changed file needs. */
  readonly #folders = new Set<string>()
  readonly #before: CommitTree

  constructor(ctx: SignedInRepoCtx, head: Oid | undefined) {
    this.#before = new CommitTree(ctx, head)
  }

  write(path: string): void {
    this.#changed.set(path, 'file')
    for (const folder of foldersOf(path)) this.#folders.add(folder)
  }

  remove(path: string): void {
    this.#changed.set(path, 'gone')
  }

  /** The entry of a path in the commit the change is made on, unless an earlier change took it away. */
  async entry(path: string): Promise<TreeEntry | undefined> {
    return this.#changed.get(path) === 'gone' ? undefined : this.#before.entry(path)
  }

  /** What stands at a path: a folder, something else, or nothing. */
  async kindAt(path: string): Promise<'folder' | 'file' | undefined> {
    if (this.#changed.get(path) === 'file') return 'file'
    if (this.#folders.has(path)) return 'folder'
    const entry = await this.entry(path)
    return entry && (entry.type === 'tree' ? 'folder' : 'file')
  }
}

/** The folders above a path, the outermost first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Checks every file of a change against what is there and the ones before it. */
async function treeChanges(
  ctx: SignedInRepoCtx,
  head: Oid | undefined,
  changes: readonly FileChangeInput[],
): Promise<TreeChange[]> {
  const view = new TreeView(ctx, head)
  const result: TreeChange[] = []
  for (const change of changes) {
    const { path, content } = change
    if (change.operation === 'delete') {
      await mustBeFile(view, change, path)
      view.remove(path)
      result.push({ op: 'delete', path })
      continue
    }
    const from = change.operation === 'update' ? (change.fromPath ?? path) : undefined
    const present = from === undefined ? undefined : await mustBeFile(view, change, from)
    if (from !== path) await mustBeFree(view, path)
    if (from !== undefined && from !== path) {
      view.remove(from)
      result.push({ op: 'delete', path: from })
    }
    await mustHaveFolders(view, path)
    view.write(path)
    result.push({ op: 'write', path, content, mode: present?.mode ?? '100644' })
  }
  return result
}

/** The file that is updated or deleted, when it is one and what the request takes it for. */
async function mustBeFile(
  view: TreeView,
  change: FileChangeInput,
  path: string,
): Promise<{ readonly mode: string } | undefined> {
  if ((await view.kindAt(path)) === undefined) throw new NotFound(`there is no ${path}`, 'path_not_found')
  const entry = await view.entry(path)
  const isDeletion = change.operation === 'delete'
  if (entry?.type === 'tree') {
    throw isDeletion
      ? new NotFound(`${path} is a folder`, 'path_is_folder')
      : new Invalid(`${path} is a folder`, 'path_is_folder')
  }
  if (change.sha && entry && entry.oid !== change.sha) {
    const message = `${path} is ${entry.oid}, not ${change.sha}`
    throw isDeletion ? new BadRequest(message, 'sha_mismatch') : new Invalid(message, 'sha_mismatch')
  }
  return entry
}

async function mustBeFree(view: TreeView, path: string): Promise<void> {
  const there = await view.kindAt(path)
  if (there) throw new Invalid(there === 'folder' ? `${path} is a folder` : `${path} exists already`, 'path_exists')
}

/** No file or link may stand where the path needs a folder. */
async function mustHaveFolders(view: TreeView, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    const there = await view.kindAt(folder)
    if (there === 'file') throw new Invalid(`${folder} is no folder`, 'path_no_folder')
    if (there === undefined) return
  }
}
