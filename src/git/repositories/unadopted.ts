import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder } from '../../lib/flush-folder.ts'
import { Conflict, Invalid, NotFound } from '../../lib/errors.ts'
import type { GitContext } from '../context.ts'
import { type GitKey, isGitKey, repositoryPath } from '../git-key.ts'
import type { ObjectFormat, UnadoptedFolder } from '../git.ts'
import { flushWhole } from '../files/flush.ts'
import { settingsOf } from './new-repository.ts'

// Bare repositories that an administrator placed below the root as `<owner>/<name>.git`, in lower case, to adopt them.

/** A safe name of an owner or repository: no leading dot, no slash. */
const isName = (text: string): boolean => /^[a-z0-9_-][a-z0-9._-]{0,99}$/.test(text)

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The folder, when it is a real folder that looks like a repository. Symbolic links are not followed. */
async function findFolder(context: GitContext, { owner, name }: UnadoptedFolder): Promise<string | undefined> {
  if (!isName(owner) || !isName(name) || isGitKey(name)) return undefined
  const path = join(context.root, owner, `${name}.git`)
  try {
    const [ofOwner, folder, head, objects] = await Promise.all(
      [dirname(path), path, join(path, 'HEAD'), join(path, 'objects')].map((each) => lstat(each)),
    )
    const fits = ofOwner?.isDirectory() && folder?.isDirectory() && head?.isFile() && objects?.isDirectory()
    return fits ? path : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Adoptable folders, by owner and name. */
export async function* listUnadopted(context: GitContext): AsyncGenerator<UnadoptedFolder> {
  for (const owner of (await readdir(context.root)).toSorted()) {
    if (!isName(owner)) continue
    const names = await readdir(join(context.root, owner)).catch((error: unknown) => {
      if (isMissing(error)) return [] as string[]
      throw error
    })
    for (const file of names.toSorted()) {
      const folder = { owner, name: file.slice(0, -4) }
      if (file.endsWith('.git') && (await findFolder(context, folder)) !== undefined) yield folder
    }
  }
}

/** Entries that adoption keeps. Foreign settings and hooks could run code. */
const keptEntries = new Set(['HEAD', 'objects', 'refs', 'packed-refs'])

/**
 * Moves a folder to the place of a key, without its settings and hooks; `unadopt` moves it back. Throws `NotFound` when
 * the folder does not exist, `Invalid` when it depends on another repository or has an unsupported form. The move comes
 * before the checks, so that only one of several concurrent calls succeeds.
 */
export async function adopt(context: GitContext, from: UnadoptedFolder, key: GitKey): Promise<ObjectFormat> {
  const notThere = () => new NotFound('there is no such repository to adopt', 'unadopted_not_found')
  const path = await findFolder(context, from)
  if (path === undefined) throw notThere()
  const target = repositoryPath(context.root, key)
  await mkdir(dirname(target), { recursive: true })
  try {
    await rename(path, target)
  } catch (error) {
    throw isMissing(error) ? notThere() : error
  }
  try {
    const format = await clean(target)
    await flushWhole(context, target)
    if (context.durable) for (const folder of [dirname(path), dirname(target), context.root]) await flushFolder(folder)
    return format
  } catch (error) {
    await rename(target, path)
    throw error
  }
}

/** Removes everything but `keptEntries` and writes a configuration. */
async function clean(path: string): Promise<ObjectFormat> {
  const entries = await readdir(path, { withFileTypes: true })
  if (entries.some((entry) => entry.isSymbolicLink())) {
    throw new Invalid('the repository has links in it', 'unadopted_links')
  }
  const names = new Set(entries.map((entry) => entry.name))
  const borrows = await lstat(join(path, 'objects/info/alternates')).then(
    () => true,
    () => false,
  )
  if (borrows || ['shallow', 'commondir', 'gitdir', 'reftable'].some((name) => names.has(name))) {
    throw new Invalid('the repository is not whole by itself', 'unadopted_not_whole')
  }
  const settings = names.has('config') ? await readFile(join(path, 'config'), 'utf8') : ''
  const format: ObjectFormat = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im.test(settings) ? 'sha256' : 'sha1'
  for (const name of names) {
    if (!keptEntries.has(name)) await rm(join(path, name), { recursive: true, force: true })
  }
  await mkdir(join(path, 'refs'), { recursive: true })
  await writeFile(join(path, 'config'), settingsOf(format))
  return format
}

/** Moves an adopted repository back. */
export async function unadopt(context: GitContext, key: GitKey, to: UnadoptedFolder): Promise<void> {
  const path = repositoryPath(context.root, key)
  const target = join(context.root, to.owner, `${to.name}.git`)
  if (await findFolder(context, to)) {
    throw new Conflict('there is another repository in its place', 'unadopted_replaced')
  }
  context.caches.packedRefs.delete(key)
  context.caches.formats.delete(key)
  await context.broker.release(path)
  await rename(path, target)
}

/** Removes an unadopted folder; returns false when it does not exist. */
export async function removeUnadopted(context: GitContext, folder: UnadoptedFolder): Promise<boolean> {
  const path = await findFolder(context, folder)
  if (path === undefined) return false
  const aside = `${path}.gone-${randomBytes(6).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  await rm(aside, { recursive: true, force: true, maxRetries: 3 })
  return true
}
