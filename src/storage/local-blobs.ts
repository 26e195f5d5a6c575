import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { RangeNotSatisfiable, Unavailable } from '../lib/errors.ts'
import {
  type BlobInfo,
  type Blobs,
  checkKey,
  checkPrefix,
  type PutOptions,
  type StoredBlob,
  temporaryFolder,
} from './blobs.ts'
import { asBuffer, measure } from './measure.ts'

/** Unfinished files older than this belong to a process that died. */
const staleTemporaryMs = 24 * 60 * 60 * 1000

/**
 * A store in a folder. A file is written beside its place, flushed and renamed, so that a key always names a whole
 * file, also after a crash. The folder may be shared by several processes and machines.
 */
export async function openLocalBlobs(options: { readonly path: string }): Promise<Blobs> {
  const root = resolve(options.path)
  const temporary = join(root, temporaryFolder)
  await mkdir(temporary, { recursive: true })
  await removeStale(temporary)

  const pathOf = (key: string): string => {
    checkKey(key)
    return join(root, key)
  }

  async function put(key: string, content: Readable, putOptions: PutOptions): Promise<StoredBlob> {
    const path = pathOf(key)
    const unfinished = join(temporary, randomBytes(12).toString('hex'))
    if (putOptions.signal !== undefined) addAbortSignal(putOptions.signal, content)
    try {
      const file = await open(unfinished, 'wx', 0o640)
      const stored = await writeStream(file, content, putOptions)
      await renameInto(unfinished, path)
      return stored
    } catch (error) {
      content.destroy()
      await ignoreMissing(unlink(unfinished))
      throw roomError(error)
    }
  }

  async function remove(key: string): Promise<void> {
    const path = pathOf(key)
    await ignoreMissing(unlink(path))
    await removeEmptyFolders(dirname(path), root)
  }

  return {
    put,
    get: async (key, { range } = {}) => {
      const file = await ignoreMissing(open(pathOf(key), 'r'))
      if (file === undefined) return undefined
      try {
        const info = await infoOf(file)
        if (info === undefined) {
          await file.close()
          return undefined
        }
        const end = Math.min(range?.end ?? info.sizeBytes - 1, info.sizeBytes - 1)
        if (range !== undefined && (range.start >= info.sizeBytes || end < range.start)) {
          throw new RangeNotSatisfiable(info.sizeBytes)
        }
        // An empty file has no last byte to name.
        const bounds = info.sizeBytes === 0 ? {} : { start: range?.start ?? 0, end }
        return { ...info, stream: file.createReadStream(bounds) }
      } catch (error) {
        await file.close()
        throw error
      }
    },
    stat: async (key) => {
      const found = await ignoreMissing(stat(pathOf(key)))
      return found?.isFile() === true ? toInfo(found) : undefined
    },
    delete: remove,
    list: (prefix) => {
      checkPrefix(prefix)
      return listFolder(root, prefix)
    },
    move: async (from, to) => {
      const source = pathOf(from)
      const target = pathOf(to)
      if ((await ignoreMissing(stat(source)))?.isFile() !== true) return false
      await renameInto(source, target)
      await removeEmptyFolders(dirname(source), root)
      return true
    },
    close: () => {},
  }
}

async function writeStream(file: FileHandle, content: Readable, options: PutOptions): Promise<StoredBlob> {
  try {
    const measured = measure(options)
    for await (const chunk of content) {
      const bytes = asBuffer(chunk)
      measured.add(bytes)
      for (let written = 0; written < bytes.length;) written += (await file.write(bytes, written)).bytesWritten
    }
    const stored = measured.finish()
    await file.sync()
    return stored
  } finally {
    await file.close()
  }
}

/** Moves a file to its place. A neighbour's deletion may take the new folder away again; then it is made once more. */
async function renameInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(dirname(to), { recursive: true })
    try {
      await rename(from, to)
      break
    } catch (error) {
      if (attempt >= 5 || !hasCode(error, 'ENOENT')) throw error
    }
  }
  // The rename itself is lost in a power cut unless its folder is flushed.
  const folder = await open(dirname(to), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function removeEmptyFolders(from: string, root: string): Promise<void> {
  for (let folder = from; folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      // Not empty, or gone already: in both cases there is nothing to do here.
      if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return
      throw error
    }
  }
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
  const pending = [prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/') + 1) : '']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await ignoreMissing(opendir(join(root, folder)))
    if (entries === undefined) continue
    for await (const entry of entries) {
      const key = folder + entry.name
      if (key === temporaryFolder) continue
      if (entry.isDirectory()) {
        const below = `${key}/`
        if (below.startsWith(prefix) || prefix.startsWith(below)) pending.push(below)
      } else if (key.startsWith(prefix)) {
        const found = await ignoreMissing(stat(join(root, key)))
        if (found?.isFile() === true) yield { key, ...toInfo(found) }
      }
    }
  }
}

async function removeStale(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name)
    const found = await ignoreMissing(stat(path))
    if (found !== undefined && Date.now() - found.mtimeMs > staleTemporaryMs) await ignoreMissing(unlink(path))
  }
}

const toInfo = (found: { readonly size: number; readonly mtimeMs: number }): BlobInfo => ({
  sizeBytes: found.size,
  modifiedUnix: Math.floor(found.mtimeMs / 1000),
})

async function infoOf(file: FileHandle): Promise<BlobInfo | undefined> {
  const found = await file.stat()
  return found.isFile() ? toInfo(found) : undefined
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}

const roomError = (error: unknown): unknown =>
  hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')
    ? new Unavailable('there is no room for the file', 'storage_full')
    : error
