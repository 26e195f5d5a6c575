import { randomBytes } from 'node:crypto'
import { constants, copyFile, open, opendir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { makeFolder } from '../lib/make-folder.ts'
import { releaseChunk, isFleeting } from '../lib/fleeting.ts'
import { flushFolder } from '../lib/flush-folder.ts'
import { withFullDisk } from '../lib/full-disk.ts'
import {
  type BlobContent,
  type BlobInfo,
  type Blobs,
  type ByteRange,
  checkKey,
  checkPrefix,
  instanceMarker,
  isOwnFolder,
  type PutOptions,
  type StoredBlob,
  temporaryFolder,
} from './blobs.ts'
import { FileWriter, ignoreMissing, readFile, removeEmptyFolders, renameInto, statFile } from './local-files.ts'
import { LocalUploads } from './local-uploads.ts'
import { asBuffer, measure, receive } from './measure.ts'

/** Opens the store of a folder, and creates the folder. */
export async function openLocalBlobs(options: { readonly path: string }): Promise<Blobs> {
  const root = resolve(options.path)
  makeFolder(join(root, temporaryFolder))
  return new LocalBlobs(root)
}

/**
 * A store in a folder. A file is written beside its place, flushed and renamed, so that a key always names a whole
 * file, also after a crash. The folder may be shared by several processes and machines.
 */
class LocalBlobs implements Blobs {
  readonly #root: string
  readonly uploads: LocalUploads

  constructor(root: string) {
    this.#root = root
    this.uploads = new LocalUploads(root, (key) => this.#pathOf(key))
  }

  async put(key: string, content: Readable, options: PutOptions): Promise<StoredBlob> {
    receive(content, options.signal)
    try {
      return await this.#placed(key, (unfinished) => writeStream(unfinished, content, options))
    } catch (error) {
      content.destroy()
      throw error
    }
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = this.#pathOf(from)
    if ((await statFile(source)) === undefined) return false
    const copied = await ignoreMissing(
      this.#placed(to, async (unfinished) => {
        // Uses a reflink where the file system supports it.
        await copyFile(source, unfinished, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        const file = await open(unfinished, 'r+')
        try {
          await file.sync()
        } finally {
          await file.close()
        }
        return true
      }),
    )
    return copied === true
  }

  async move(from: string, to: string): Promise<boolean> {
    const source = this.#pathOf(from)
    const target = this.#pathOf(to)
    if ((await statFile(source)) === undefined) return false
    await renameInto(source, target, this.#root)
    await flushFolder(dirname(source))
    await removeEmptyFolders(dirname(source), this.#root)
    return true
  }

  async get(key: string, options: { readonly range?: ByteRange } = {}): Promise<BlobContent | undefined> {
    return readFile(this.#pathOf(key), options.range)
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    return statFile(this.#pathOf(key))
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key)
    await ignoreMissing(unlink(path))
    await removeEmptyFolders(dirname(path), this.#root)
  }

  list(prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
    checkPrefix(prefix)
    return listFolder(this.#root, prefix)
  }

  close(): void {}

  #pathOf(key: string): string {
    checkKey(key)
    return join(this.#root, key)
  }

  /** Writes a file beside its target and renames it; a failure leaves nothing. */
  async #placed<T>(key: string, write: (unfinished: string) => Promise<T>): Promise<T> {
    const path = this.#pathOf(key)
    const unfinished = join(this.#root, temporaryFolder, randomBytes(12).toString('hex'))
    try {
      const written = await write(unfinished)
      await renameInto(unfinished, path, this.#root)
      return written
    } catch (error) {
      await ignoreMissing(unlink(unfinished))
      throw withFullDisk(error)
    }
  }
}

async function writeStream(path: string, content: Readable, options: PutOptions): Promise<StoredBlob> {
  const file = await open(path, 'wx', 0o640)
  const writer = new FileWriter(file)
  try {
    const measured = measure(options)
    for await (const chunk of content) {
      const bytes = asBuffer(chunk)
      measured.add(bytes)
      await writer.add(bytes)
      if (isFleeting(content)) releaseChunk(bytes)
    }
    await writer.finish()
    const stored = measured.finish()
    await file.sync()
    return stored
  } finally {
    await writer.idle()
    await file.close()
  }
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
  const pending = [prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/') + 1) : '']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await ignoreMissing(opendir(join(root, folder)))
    if (entries === undefined) continue
    for await (const entry of entries) {
      const key = folder + entry.name
      if (isOwnFolder(key) || key === instanceMarker) continue
      if (entry.isDirectory()) {
        const below = `${key}/`
        if (below.startsWith(prefix) || prefix.startsWith(below)) pending.push(below)
      } else if (key.startsWith(prefix)) {
        const info = await statFile(join(root, key))
        if (info !== undefined) yield { key, ...info }
      }
    }
  }
}
