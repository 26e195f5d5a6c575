import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { NotFound, RangeNotSatisfiable } from '../lib/errors.ts'
import { releaseChunk, isFleeting } from '../lib/fleeting.ts'
import { flushFolder } from '../lib/flush-folder.ts'
import { withFullDisk } from '../lib/full-disk.ts'
import type { Unix } from '../lib/time.ts'
import { Appending, type RunningDigest } from './appending.ts'
import {
  type AppendOptions,
  type BlobContent,
  type BlobInfo,
  type ByteRange,
  type CompleteOptions,
  isUploadId,
  newUploadId,
  type StoredBlob,
  temporaryFolder,
  type UploadId,
  type Uploads,
  uploadsFolder,
} from './blobs.ts'
import { FileWriter, ignoreMissing, readFile, renameInto, statFile } from './local-files.ts'
import { asBuffer, checkExpected, measure, receive, tooLarge } from './measure.ts'

/** Uploads in a folder: each is one file, whose size is the size of the upload. */
export class LocalUploads implements Uploads {
  readonly #root: string
  readonly #folder: string
  readonly #pathOfKey: (key: string) => string
  readonly #appending = new Appending()

  constructor(root: string, pathOfKey: (key: string) => string) {
    this.#root = root
    this.#folder = join(root, uploadsFolder)
    this.#pathOfKey = pathOfKey
  }

  async begin(): Promise<UploadId> {
    const id = newUploadId()
    if ((await mkdir(this.#folder, { recursive: true })) !== undefined) await flushFolder(this.#root)
    try {
      await (await open(this.#pathOf(id), 'wx', 0o640)).close()
    } catch (error) {
      throw withFullDisk(error)
    }
    await flushFolder(this.#folder)
    return id
  }

  async find(id: UploadId): Promise<BlobInfo | undefined> {
    return statFile(this.#pathOf(id))
  }

  async append(id: UploadId, content: Readable, options: AppendOptions): Promise<BlobInfo> {
    receive(content, options.signal)
    try {
      await this.#appending.alone(id, () => this.#append(id, content, options))
    } catch (error) {
      content.destroy()
      throw withFullDisk(error)
    }
    const info = await this.find(id)
    if (info === undefined) throw noUpload()
    return info
  }

  async read(id: UploadId, options: { readonly range?: ByteRange } = {}): Promise<BlobContent | undefined> {
    return readFile(this.#pathOf(id), options.range)
  }

  async complete(id: UploadId, key: string, options: CompleteOptions = {}): Promise<StoredBlob> {
    const target = this.#pathOfKey(key)
    return this.#appending.alone(id, async () => {
      const stored = await this.#measure(id, options)
      if ((await ignoreMissing(renameInto(this.#pathOf(id), target, this.#root).then(() => true))) === undefined) {
        throw noUpload()
      }
      await flushFolder(this.#folder)
      this.#appending.forget(id)
      return stored
    })
  }

  async abort(id: UploadId): Promise<void> {
    this.#appending.forget(id)
    await ignoreMissing(unlink(this.#pathOf(id)))
  }

  async removeAbandoned(beforeUnix: Unix, signal?: AbortSignal): Promise<number> {
    let count = 0
    for (const folder of [this.#folder, join(this.#root, temporaryFolder)]) {
      for (const name of (await ignoreMissing(readdir(folder))) ?? []) {
        signal?.throwIfAborted()
        const path = join(folder, name)
        const found = await statFile(path)
        if (found === undefined || found.modifiedUnix >= beforeUnix) continue
        await ignoreMissing(unlink(path))
        count++
      }
    }
    return count
  }

  #pathOf(id: UploadId): string {
    if (!isUploadId(id)) throw noUpload()
    return join(this.#folder, id)
  }

  async #append(id: UploadId, content: Readable, { atBytes, maxBytes }: AppendOptions): Promise<void> {
    const file = await ignoreMissing(open(this.#pathOf(id), 'r+'))
    if (file === undefined) throw noUpload()
    try {
      const { size } = await file.stat()
      if (atBytes > size) throw new RangeNotSatisfiable(size)
      const digest = this.#appending.take(id, atBytes)
      if (atBytes < size) await file.truncate(atBytes)
      await writeFrom(file, content, { atBytes, maxBytes, digest })
      await file.sync()
      this.#appending.keep(id, digest)
    } finally {
      await file.close()
    }
  }

  /** Returns checked size and digests of an upload, from memory or by reading it. */
  async #measure(id: UploadId, options: CompleteOptions): Promise<StoredBlob> {
    const info = await this.find(id)
    if (info === undefined) throw noUpload()
    const sha256 = options.digests === undefined ? this.#appending.sha256Of(id, info.sizeBytes) : undefined
    if (sha256 !== undefined) {
      const stored = { sizeBytes: info.sizeBytes, sha256, digests: {} }
      checkExpected(stored, options.expected)
      return stored
    }
    const content = await this.read(id)
    if (content === undefined) throw noUpload()
    receive(content.stream, options.signal)
    const measured = measure({ ...options, maxBytes: Number.POSITIVE_INFINITY })
    for await (const chunk of content.stream) {
      const bytes = asBuffer(chunk)
      measured.add(bytes)
      if (isFleeting(content.stream)) releaseChunk(bytes)
    }
    return measured.finish()
  }
}

async function writeFrom(
  file: FileHandle,
  content: Readable,
  to: { atBytes: number; maxBytes: number; digest: RunningDigest | undefined },
): Promise<void> {
  const writer = new FileWriter(file, to.atBytes)
  let sizeBytes = to.atBytes
  try {
    for await (const chunk of content) {
      const bytes = asBuffer(chunk)
      sizeBytes += bytes.length
      if (sizeBytes > to.maxBytes) throw tooLarge(to.maxBytes)
      to.digest?.add(bytes)
      await writer.add(bytes)
      if (isFleeting(content)) releaseChunk(bytes)
    }
    await writer.finish()
  } catch (error) {
    // The received part stays; if it cannot be flushed either, the first error is reported.
    await writer.finish().catch(() => {})
    throw error
  } finally {
    await writer.idle()
  }
}

const noUpload = (): NotFound => new NotFound('there is no such upload', 'upload_not_found')
