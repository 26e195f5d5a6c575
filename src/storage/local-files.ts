import { type FileHandle, mkdir, open, rename, rmdir, stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { RangeNotSatisfiable } from '../lib/errors.ts'
import { asFleeting } from '../lib/fleeting.ts'
import { flushFolder } from '../lib/flush-folder.ts'
import type { BlobContent, BlobInfo, ByteRange } from './blobs.ts'

/** Writes all bytes at a position of a file. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/** Size of a write: a system call per network chunk would cost more than the bytes. */
const writtenAtOnce = 512 * 1024

/** Initial buffer size; most files are small. */
const writtenFirst = 64 * 1024

/**
 * Writes a file from a place on in large steps; while one is written the next one is gathered. Pieces are copied, so that
 * what a connection brings may be given back at once and memory stays flat.
 */
export class FileWriter {
  readonly #file: FileHandle
  /** The buffer being filled and the buffer being written; allocated on demand. */
  #gathered: Buffer | undefined
  #spare: Buffer | undefined
  #gatheredBytes = 0
  #position: number
  #writing: Promise<void> | undefined
  /** Size of the next buffer. */
  #next: number

  constructor(file: FileHandle, atBytes = 0) {
    this.#file = file
    this.#position = atBytes
    this.#next = writtenFirst
  }

  /** Appends a chunk; waits when the disk is slower than the input. */
  async add(piece: Buffer): Promise<void> {
    for (let taken = 0; taken < piece.length;) {
      this.#gathered ??= Buffer.allocUnsafeSlow(this.#next)
      const copied = piece.copy(this.#gathered, this.#gatheredBytes, taken)
      taken += copied
      this.#gatheredBytes += copied
      if (this.#gatheredBytes === this.#gathered.length) await this.#write()
    }
  }

  /** Writes the rest. */
  async finish(): Promise<void> {
    if (this.#gatheredBytes > 0) await this.#write()
    await this.#writing
  }

  /** Waits for pending writes, so that the file can be closed. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#writing])
  }

  /** Starts to write the filled buffer after the previous one. */
  async #write(): Promise<void> {
    await this.#writing
    const full = this.#gathered as Buffer
    this.#writing = writeAt(this.#file, full.subarray(0, this.#gatheredBytes), this.#position)
    // `flush` reports the error.
    this.#writing.catch(() => {})
    this.#position += this.#gatheredBytes
    this.#gathered = this.#spare
    this.#spare = full.length === writtenAtOnce ? full : undefined
    this.#gatheredBytes = 0
    this.#next = writtenAtOnce
  }
}

/** Renames a file into place. A concurrent deletion may remove the new folder; then it is created again. */
export async function renameInto(from: string, to: string, root: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const firstMade = await mkdir(dirname(to), { recursive: true })
    try {
      await rename(from, to)
    } catch (error) {
      if (attempt >= 5 || !hasCode(error, 'ENOENT')) throw error
      continue
    }
    // Without flushing its folder, and each new parent, a rename may be lost in a power failure.
    const highest = firstMade === undefined ? dirname(to) : dirname(firstMade)
    for (let folder = dirname(to); folder.startsWith(root); folder = dirname(folder)) {
      await flushFolder(folder)
      if (folder === highest) break
    }
    return
  }
}

/** Removes empty folders upward, to the root of the store. */
export async function removeEmptyFolders(from: string, root: string): Promise<void> {
  for (let folder = from; folder.startsWith(root + sep); folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      // Not empty or already removed: nothing to do.
      if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return
      throw error
    }
  }
}

/** Returns size and modification time of a file, or undefined. */
export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const found = await ignoreMissing(stat(path))
  return found?.isFile() === true ? toInfo(found) : undefined
}

/** Size of a read: half the system calls of the default. */
const readAtOnce = 128 * 1024

/** Returns the content of a file, or undefined. Throws RangeNotSatisfiable. */
export async function readFile(path: string, range: ByteRange | undefined): Promise<BlobContent | undefined> {
  const file = await ignoreMissing(open(path, 'r'))
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) {
      await file.close()
      return undefined
    }
    const info = toInfo(found)
    const end = Math.min(range?.end ?? info.sizeBytes - 1, info.sizeBytes - 1)
    if (range !== undefined && (range.start >= info.sizeBytes || end < range.start)) {
      throw new RangeNotSatisfiable(info.sizeBytes)
    }
    // An empty file has no last byte to name.
    const bounds = info.sizeBytes === 0 ? {} : { start: range?.start ?? 0, end }
    return { ...info, stream: asFleeting(file.createReadStream({ ...bounds, highWaterMark: readAtOnce })) }
  } catch (error) {
    await file.close()
    throw error
  }
}

const toInfo = (found: { readonly size: number; readonly mtimeMs: number }): BlobInfo => ({
  sizeBytes: found.size,
  modifiedUnix: Math.floor(found.mtimeMs / 1000),
})

const hasCode = (error: unknown, code: string): boolean =>
  Error.isError(error) && 'code' in error && error.code === code

export async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}
