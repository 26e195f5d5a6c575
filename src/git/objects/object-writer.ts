import { isDisguisedGitModules, isDotGit } from './dot-git.ts'
import { checkGitModules } from './git-modules.ts'
import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createDeflate, deflate } from 'node:zlib'
import { Invalid, NotFound, TooLarge } from '../../lib/errors.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import { isNameText } from '../../lib/file-names.ts'
import type { Oid } from '../../lib/ids.ts'
import { isOid } from '../../lib/refs.ts'
import { maxTextObjectBytes } from '../broker/protocol.ts'
import { checkOids, formatOf, type GitContext, locate } from '../context.ts'
import { type GitKey, repositoryPath } from '../git-key.ts'
import type { BlobFile, BlobSource, NewCommit, NewTag, ObjectType, TreeChange } from '../git.ts'
import {
  encodeName,
  parseRawTree,
  type RawTreeEntry,
  serializeCommit,
  serializeTag,
  serializeTree,
  typeOfMode,
} from './object-codec.ts'
import { statOf } from '../files/walk.ts'
import { cat, emptyTreeOid, readTree, rememberWritten } from './object-reader.ts'

const deflateAsync = promisify(deflate)
/** git's default for loose objects. A repack compresses them again. */
export const compression = { level: 1 }
const maxPathBytes = 4096
const maxTreeDepth = 256

/**
 * Writes a loose object: to a temporary file, synced, renamed. An existing loose object is kept. A packed object is
 * written again, which costs less than asking for it.
 */
async function writeObject(context: GitContext, key: GitKey, type: ObjectType, content: Buffer): Promise<Oid> {
  const format = await formatOf(context, key)
  const header = Buffer.from(`${type} ${content.length}\0`)
  const oid = createHash(format).update(header).update(content).digest('hex') as Oid
  const { folder, path } = loosePath(context, key, oid)
  if (await isPresent(path)) return oid
  const bytes = await deflateAsync(Buffer.concat([header, content]), compression)
  const temporary = temporaryPath(context, key)
  await guardDisk(async () => {
    const handle = await open(temporary, 'wx', 0o444)
    try {
      await handle.writeFile(bytes)
      if (context.durable) await handle.sync()
    } finally {
      await handle.close()
    }
    await moveInto(folder, temporary, path)
  }, temporary)
  rememberWritten(context, key, { type, oid, content })
  return oid
}

const loosePath = (context: GitContext, key: GitKey, oid: Oid): { folder: string; path: string } => {
  const folder = join(repositoryPath(context.root, key), 'objects', oid.slice(0, 2))
  return { folder, path: join(folder, oid.slice(2)) }
}

/** Returns the bytes on disk of the loose objects among these. */
export async function looseBytes(context: GitContext, key: GitKey, oids: readonly Oid[]): Promise<number> {
  let bytes = 0
  for (const oid of new Set(oids)) bytes += (await statOf(loosePath(context, key, oid).path))?.size ?? 0
  return bytes
}

/** git's own prefix, so that `git gc` removes files left by a crash. */
const temporaryPath = (context: GitContext, key: GitKey): string =>
  join(repositoryPath(context.root, key), 'objects', `tmp_obj_${randomBytes(8).toString('hex')}`)

async function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function moveInto(folder: string, temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(folder, { recursive: true })
    await rename(temporary, path)
  }
}

async function guardDisk(work: () => Promise<void>, temporary: string): Promise<void> {
  try {
    await work()
  } catch (error) {
    await rm(temporary, { force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new NotFound('the repository does not exist', 'git_repository_missing')
    throw withFullDisk(error)
  }
}

/** Writes a blob in constant memory; the stream must hold exactly `sizeBytes`. */
async function writeStreamedBlob(context: GitContext, key: GitKey, source: BlobSource): Promise<Oid> {
  const format = await formatOf(context, key)
  const hash: Hash = createHash(format)
  const header = Buffer.from(`blob ${source.sizeBytes}\0`)
  hash.update(header)
  let bytes = 0
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length
      hash.update(chunk)
      callback(bytes > source.sizeBytes ? new Invalid('the content is longer than announced') : null, chunk)
    },
  })
  const temporary = temporaryPath(context, key)
  let oid = '' as Oid
  await guardDisk(async () => {
    const deflating = createDeflate(compression)
    deflating.write(header)
    await pipeline(
      source.stream,
      hashing,
      deflating,
      createWriteStream(temporary, { flags: 'wx', mode: 0o444, flush: context.durable }),
    )
    if (bytes !== source.sizeBytes) throw new Invalid('the content is shorter than announced')
    oid = hash.digest('hex') as Oid
    const { folder, path } = loosePath(context, key, oid)
    if (await isPresent(path)) await rm(temporary, { force: true })
    else await moveInto(folder, temporary, path)
  }, temporary)
  return oid
}

export function writeBlob(context: GitContext, key: GitKey, content: Buffer | BlobSource): Promise<Oid> {
  return Buffer.isBuffer(content)
    ? writeObject(context, key, 'blob', content)
    : writeStreamedBlob(context, key, content)
}

/** A folder under construction. `base` is read only when an entry below it changes. */
type Folder = {
  readonly base: Oid | undefined
  entries: Map<string, RawTreeEntry> | undefined
  readonly children: Map<string, Folder>
}

const writableModes = new Set(['100644', '100755', '120000', '160000'])

/**
 * Writes the tree `base` (a tree or commit; undefined: empty) with changes made in order. Throws `Invalid` for bad
 * paths and modes and for a file where a folder is needed or the reverse; `NotFound` for deleting a missing path.
 */
export async function writeTree(
  context: GitContext,
  key: GitKey,
  base: Oid | undefined,
  changes: readonly TreeChange[],
): Promise<{ tree: Oid; blobs: readonly (Oid | undefined)[] }> {
  const baseTree = base === undefined ? undefined : await treeOf(context, key, base)
  const root: Folder = { base: baseTree, entries: undefined, children: new Map() }
  const blobs: Array<Oid | undefined> = []
  for (const change of changes) {
    const parts = splitPath(change.path)
    if (change.op === 'delete') {
      await removeEntry(context, key, root, parts, change.path)
      blobs.push(undefined)
      continue
    }
    if (parts.some(isDotGit)) {
      throw new Invalid(`the path is reserved for git: ${change.path.slice(0, 200)}`, 'git_path_invalid')
    }
    const mode = change.mode ?? '100644'
    if (!writableModes.has(mode)) throw new Invalid(`not a file mode: ${mode}`)
    const name = parts.at(-1) as string
    if (name === '.gitmodules' || isDisguisedGitModules(name)) {
      await checkModulesFile(context, key, mode, change.content)
    }
    let oid: Oid
    if (Buffer.isBuffer(change.content) || 'stream' in change.content) {
      oid = await writeBlob(context, key, change.content)
    } else if ('open' in change.content) {
      const { open, sizeBytes } = change.content
      oid = await writeStreamedBlob(context, key, { stream: open(), sizeBytes })
    } else {
      oid = change.content.oid
    }
    checkOids(oid)
    await putEntry(context, key, root, parts, { mode, oid, rawName: encodeName(parts.at(-1)!) }, change.path)
    blobs.push(oid)
  }
  return {
    tree: (await writeFolder(context, key, root)) ?? (await writeObject(context, key, 'tree', Buffer.alloc(0))),
    blobs,
  }
}

/** Refuses a `.gitmodules` that a push could not contain. */
async function checkModulesFile(
  context: GitContext,
  key: GitKey,
  mode: string,
  content: Buffer | BlobSource | BlobFile | { readonly oid: Oid },
): Promise<void> {
  if (mode !== '100644' && mode !== '100755') throw new Invalid('.gitmodules has to be a file', 'git_modules_invalid')
  if (Buffer.isBuffer(content)) return checkGitModules(context, key, content)
  if ('sizeBytes' in content) throw new Invalid('.gitmodules is too large', 'git_modules_invalid')
  const [reply] = await cat(context, locate(context, key), [['contents', content.oid]])
  if (reply?.content) await checkGitModules(context, key, reply.content)
}

/** Path segments that git refuses in a tree. */
const forbiddenSegment = /^(?:\.{0,2}|\.git|git~1)$/i
export const isForbiddenSegment = (name: string): boolean => forbiddenSegment.test(name)

function splitPath(path: string): string[] {
  const parts = path.split('/')
  const isBad = parts.some(isForbiddenSegment) || path.includes('\0') || !isNameText(path)
  if (isBad || Buffer.byteLength(path) > maxPathBytes || parts.length > maxTreeDepth) {
    throw new Invalid(`the path is not valid: ${path.slice(0, 200)}`, 'git_path_invalid', { path })
  }
  return parts
}

async function treeOf(context: GitContext, key: GitKey, treeish: Oid): Promise<Oid> {
  checkOids(treeish)
  const [reply] = await cat(context, locate(context, key), [['info', `${treeish}^{tree}`]])
  if (reply?.state === 'found') return reply.name as Oid
  if (treeish === emptyTreeOid(treeish.length)) return treeish
  throw new NotFound(`tree ${treeish} does not exist`, 'git_object_missing')
}

async function load(context: GitContext, key: GitKey, folder: Folder): Promise<Map<string, RawTreeEntry>> {
  if (folder.entries !== undefined) return folder.entries
  let list: RawTreeEntry[] = []
  if (folder.base !== undefined && folder.base !== emptyTreeOid(folder.base.length)) {
    const [reply] = await cat(context, locate(context, key), [['contents', folder.base]])
    if (reply?.type !== 'tree' || reply.content === undefined) {
      throw new NotFound(`tree ${folder.base} does not exist`, 'git_object_missing')
    }
    list = parseRawTree(reply.content, folder.base.length / 2)
  }
  folder.entries = new Map(list.map((entry) => [entry.rawName, entry]))
  return folder.entries
}

async function enter(
  context: GitContext,
  key: GitKey,
  folder: Folder,
  name: string,
  path: string,
  create: boolean,
): Promise<Folder | undefined> {
  const entries = await load(context, key, folder)
  const rawName = encodeName(name)
  const known = folder.children.get(rawName)
  if (known !== undefined) return known
  const entry = entries.get(rawName)
  if (entry === undefined && !create) return undefined
  if (entry !== undefined && typeOfMode(entry.mode) !== 'tree') {
    throw new Invalid(`a file stands where ${path} needs a folder`, 'git_path_conflict', { path })
  }
  const child: Folder = { base: entry?.oid, entries: undefined, children: new Map() }
  folder.children.set(rawName, child)
  return child
}

async function putEntry(
  context: GitContext,
  key: GitKey,
  root: Folder,
  parts: readonly string[],
  entry: RawTreeEntry,
  path: string,
): Promise<void> {
  let folder = root
  for (const part of parts.slice(0, -1)) folder = (await enter(context, key, folder, part, path, true))!
  const entries = await load(context, key, folder)
  const child = folder.children.get(entry.rawName)
  const present = entries.get(entry.rawName)
  const isFolder =
    child !== undefined
      ? !(await isEmptyFolder(context, key, child))
      : present !== undefined && typeOfMode(present.mode) === 'tree'
  if (isFolder) throw new Invalid(`${path} is a folder`, 'git_path_conflict', { path })
  folder.children.delete(entry.rawName)
  entries.set(entry.rawName, entry)
}

/** Whether earlier changes deleted everything in a folder, so that a file may take its name. */
async function isEmptyFolder(context: GitContext, key: GitKey, folder: Folder): Promise<boolean> {
  const entries = await load(context, key, folder)
  for (const name of entries.keys()) if (!folder.children.has(name)) return false
  for (const child of folder.children.values()) if (!(await isEmptyFolder(context, key, child))) return false
  return true
}

async function removeEntry(
  context: GitContext,
  key: GitKey,
  root: Folder,
  parts: readonly string[],
  path: string,
): Promise<void> {
  const missing = (): never => {
    throw new NotFound(`${path} does not exist`, 'git_path_missing', { path })
  }
  let folder: Folder | undefined = root
  for (const part of parts.slice(0, -1)) {
    folder = await enter(context, key, folder, part, path, false)
    if (folder === undefined) return missing()
  }
  const entries = await load(context, key, folder)
  const rawName = encodeName(parts.at(-1)!)
  if (!entries.delete(rawName) && !folder.children.has(rawName)) missing()
  folder.children.delete(rawName)
}

/** Writes changed folders, deepest first; undefined for an empty folder, which git does not store. */
async function writeFolder(context: GitContext, key: GitKey, folder: Folder): Promise<Oid | undefined> {
  if (folder.entries === undefined) return folder.base
  for (const [rawName, child] of folder.children) {
    const oid = await writeFolder(context, key, child)
    if (oid === undefined) folder.entries.delete(rawName)
    else folder.entries.set(rawName, { mode: '040000', oid, rawName })
  }
  if (folder.entries.size === 0) return undefined
  return writeObject(context, key, 'tree', serializeTree([...folder.entries.values()]))
}

/** Throws `TooLarge` for a commit or tag above `maxTextObjectBytes`. Its message makes it large. */
function refuseLargeText(type: 'commit' | 'tag', sizeBytes: number): void {
  if (sizeBytes <= maxTextObjectBytes) return
  throw new TooLarge(`a ${type} may have ${maxTextObjectBytes} bytes, with its message`, 'git_message_too_large')
}

/** Writes a commit and its tree; no reference changes. `blobs` has one id per change. */
export async function writeCommit(
  context: GitContext,
  key: GitKey,
  commit: NewCommit,
): Promise<{ oid: Oid; tree: Oid; blobs: readonly (Oid | undefined)[] }> {
  checkOids(...commit.parents)
  const { tree, blobs } =
    typeof commit.tree === 'string'
      ? { tree: commit.tree, blobs: [] }
      : await writeTree(context, key, commit.tree.base, commit.tree.changes)
  checkOids(tree)
  if (typeof commit.tree === 'string') await readTree(context, key, tree)
  const body = { ...commit, tree }
  const unsigned = serializeCommit(body)
  const bytes = commit.sign === undefined ? unsigned : serializeCommit(body, await commit.sign(unsigned))
  refuseLargeText('commit', bytes.length)
  return { oid: await writeObject(context, key, 'commit', bytes), tree, blobs }
}

export async function writeTag(context: GitContext, key: GitKey, tag: NewTag): Promise<Oid> {
  if (!isOid(tag.target) || /[\n\0]/.test(tag.name)) throw new Invalid('the tag is not valid')
  const unsigned = serializeTag(tag)
  const bytes = tag.sign === undefined ? unsigned : serializeTag(tag, await tag.sign(unsigned))
  refuseLargeText('tag', bytes.length)
  return writeObject(context, key, 'tag', bytes)
}
