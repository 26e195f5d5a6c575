import type { Oid } from '../../lib/ids.ts'
import type { GitContext } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { EditProblem, FileEdit, PlannedEdits, ReadFrom, TreeChange, TreeEntry } from '../git.ts'
import { readTree } from './object-reader.ts'

/** Finds entries below a commit or tree and reads each folder once. Without a root the tree is empty. */
class Tree {
  readonly #folders = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>()

  constructor(
    readonly context: GitContext,
    readonly at: ReadFrom,
    readonly root: Oid | undefined,
  ) {}

  /** The entry at a path; undefined when it does not exist. */
  async entry(path: string): Promise<TreeEntry | undefined> {
    const slash = path.lastIndexOf('/')
    return (await this.#folder(path.slice(0, Math.max(0, slash)))).get(path.slice(slash + 1))
  }

  async kindAt(path: string): Promise<'folder' | 'file' | undefined> {
    return kindOf(await this.entry(path))
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
    const treeish = path === '' ? this.root : await this.#treeOf(path)
    if (treeish === undefined) return new Map()
    const entries = await readTree(this.context, this.at, treeish)
    return new Map(entries.map((entry) => [entry.name, entry]))
  }

  async #treeOf(path: string): Promise<Oid | undefined> {
    const entry = await this.entry(path)
    return entry?.type === 'tree' ? entry.oid : undefined
  }
}

/** Entries of several paths below a commit or tree; missing ones are left out. */
export async function findPaths(
  context: GitContext,
  at: ReadFrom,
  treeish: Oid,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry>> {
  const tree = new Tree(context, at, treeish)
  const found = new Map<string, TreeEntry>()
  for (const path of paths) {
    const entry = await tree.entry(path)
    if (entry) found.set(path, entry)
  }
  return found
}

/** A tree with the edits planned so far. */
class EditedTree {
  readonly #changed = new Map<string, 'file' | 'gone'>()
  /** Folders that written files need. */
  readonly #folders = new Set<string>()

  constructor(readonly before: Tree) {}

  write(path: string): void {
    this.#changed.set(path, 'file')
    for (const folder of foldersOf(path)) this.#folders.add(folder)
  }

  remove(path: string): void {
    this.#changed.set(path, 'gone')
  }

  /** The entry at a path before the edits, unless an edit removed it. */
  async entry(path: string): Promise<TreeEntry | undefined> {
    return this.#changed.get(path) === 'gone' ? undefined : this.before.entry(path)
  }

  async kindAt(path: string): Promise<'folder' | 'file' | undefined> {
    if (this.#changed.get(path) === 'file') return 'file'
    return this.#folders.has(path) ? 'folder' : kindOf(await this.entry(path))
  }
}

const kindOf = (entry: TreeEntry | undefined): 'folder' | 'file' | undefined =>
  entry && (entry.type === 'tree' ? 'folder' : 'file')

/** The folders above a path, outermost first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/**
 * Turns file edits into changes of the tree of a commit (undefined: the empty tree). Each edit sees those before it.
 * Returns the first problem when an edit does not apply.
 */
export async function planEdits(
  context: GitContext,
  key: GitKey,
  base: Oid | undefined,
  edits: readonly FileEdit[],
): Promise<PlannedEdits> {
  const tree = new EditedTree(new Tree(context, key, base))
  const changes: TreeChange[] = []
  for (const edit of edits) {
    const planned = await planEdit(tree, edit)
    if (!Array.isArray(planned)) return { ok: false, edit, problem: planned }
    changes.push(...planned)
  }
  return { ok: true, changes }
}

async function planEdit(tree: EditedTree, edit: FileEdit): Promise<TreeChange[] | EditProblem> {
  const { operation, path, content } = edit
  const from = operation === 'create' ? undefined : operation === 'delete' ? path : (edit.fromPath ?? path)
  const present = from === undefined ? undefined : await tree.entry(from)
  if (from !== undefined) {
    const kind = await tree.kindAt(from)
    if (kind !== 'file') return { reason: kind ? 'is_folder' : 'missing', path: from }
    const isOther = edit.expectedOid !== undefined && present !== undefined && present.oid !== edit.expectedOid
    if (isOther) return { reason: 'other_content', path: from, found: present.oid }
  }
  if (operation === 'delete') {
    tree.remove(path)
    return [{ op: 'delete', path }]
  }
  const write: TreeChange = { op: 'write', path, content, mode: present?.mode ?? '100644' }
  if (from === path) {
    tree.write(path)
    return [write]
  }
  const taken = await tree.kindAt(path)
  if (taken) return { reason: 'taken', path, by: taken }
  // A file cannot move below a file, not even below itself: the history would not show where it went.
  const above = (await fileAbove(tree, path)) ?? (from === undefined ? undefined : await fileAbove(tree.before, path))
  if (above !== undefined) return { reason: 'no_folder', path: above }
  tree.write(path)
  if (from === undefined) return [write]
  tree.remove(from)
  return [{ op: 'delete', path: from }, write]
}

/** The outermost file or link at a path where the given path needs a folder. */
async function fileAbove(tree: Pick<Tree, 'kindAt'>, path: string): Promise<string | undefined> {
  for (const folder of foldersOf(path)) {
    const kind = await tree.kindAt(folder)
    if (kind === 'file') return folder
    if (kind === undefined) return undefined
  }
  return undefined
}
