import { createHash } from 'node:crypto'
import { closeSync, fsync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { Invalid } from '../../lib/errors.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import type { FirstCommit, NewRepositoryOptions, ObjectFormat, ObjectType } from '../git.ts'
import { encodeName, serializeCommit, serializeTree } from '../objects/object-codec.ts'
import { compression, isForbiddenSegment } from '../objects/object-writer.ts'

// Writes the files that `git init` writes, without a process. A test has git check them.

const deflateAsync = promisify(deflate)
const sync = promisify(fsync)

/** Folders that git requires or creates on first use. */
const folders = ['', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags']

/** The configuration of a bare repository. Settings that all repositories share are in git-settings.ts. */
export function settingsOf(format: ObjectFormat): string {
  const extension = format === 'sha256' ? '[extensions]\n\tobjectformat = sha256\n' : ''
  return `[core]\n\trepositoryformatversion = ${extension === '' ? 0 : 1}\n\tfilemode = true\n\tbare = true\n${extension}`
}

export interface WrittenObject {
  readonly type: ObjectType
  readonly oid: Oid
  readonly content: Buffer
}

/** The result of `writeRepositoryFiles`: bytes of all files, and the objects of the first commit, the commit last. */
export interface WrittenRepository {
  readonly sizeBytes: number
  readonly objects: readonly WrittenObject[]
}

/** Writes the files of a repository to a folder that does not exist yet; syncs them when `isDurable`. */
export async function writeRepositoryFiles(
  directory: string,
  options: Required<Omit<NewRepositoryOptions, 'first'>> & Pick<NewRepositoryOptions, 'first'>,
  isDurable: boolean,
): Promise<WrittenRepository> {
  const { defaultBranch, objectFormat, first } = options
  const objects = first === undefined ? [] : await objectsOf(first, objectFormat)
  const files = new Map<string, Buffer>([
    ['HEAD', Buffer.from(`ref: ${branchRef(defaultBranch)}\n`)],
    ['config', Buffer.from(settingsOf(objectFormat))],
  ])
  const tip = objects.at(-1)
  if (tip) files.set(branchRef(defaultBranch), Buffer.from(`${tip.oid}\n`))
  const loose = await Promise.all(
    objects.map(async (each) => {
      const path = `objects/${each.oid.slice(0, 2)}/${each.oid.slice(2)}`
      return [path, await deflateAsync(framed(each.type, each.content), compression)] as const
    }),
  )
  for (const [path, bytes] of loose) files.set(path, bytes)
  try {
    const wanted = new Set([
      ...folders,
      ...[...files.keys()].map((path) => dirname(path)).filter((each) => each !== '.'),
    ])
    for (const folder of wanted) mkdirSync(join(directory, folder), { recursive: !folders.includes(folder) })
    await Promise.all(
      [...files].map(([path, bytes]) =>
        writeShort(join(directory, path), bytes, path.startsWith('objects/') ? 0o444 : 0o666, isDurable),
      ),
    )
  } catch (error) {
    throw withFullDisk(error)
  }
  return { sizeBytes: [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0), objects }
}

/**
 * Writes a new short file synchronously, because the thread pool costs ten times the work. Only the sync is
 * asynchronous.
 */
async function writeShort(path: string, bytes: Buffer, mode: number, isDurable: boolean): Promise<void> {
  const file = openSync(path, 'wx', mode)
  try {
    writeFileSync(file, bytes)
    if (isDurable) await sync(file)
  } finally {
    closeSync(file)
  }
}

const framed = (type: ObjectType, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])

/** The objects of a first commit without duplicates, the commit last. */
async function objectsOf({ files, sign, ...commit }: FirstCommit, format: ObjectFormat): Promise<WrittenObject[]> {
  const objects = new Map<Oid, WrittenObject>()
  const add = (type: ObjectType, content: Buffer): Oid => {
    const oid = createHash(format).update(framed(type, content)).digest('hex') as Oid
    objects.set(oid, { type, oid, content })
    return oid
  }
  const names = files.map(({ name }) => name)
  const bad = names.find((name) => name.includes('/') || name.includes('\0') || isForbiddenSegment(name))
  if (bad !== undefined || new Set(names).size !== names.length) {
    throw new Invalid(`not the name of a file of a first commit: ${bad ?? names.join(', ')}`, 'git_path_invalid')
  }
  const entries = files.map(({ name, content }) => ({
    mode: '100644',
    oid: add('blob', content),
    rawName: encodeName(name),
  }))
  const tree = add('tree', serializeTree(entries))
  const body = { ...commit, parents: [], tree }
  const unsigned = serializeCommit(body)
  add('commit', sign === undefined ? unsigned : serializeCommit(body, await sign(unsigned)))
  return [...objects.values()]
}
