import { type FileHandle, mkdir, open, rename, rmdir, stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { RangeNotSatisfiable } from '../lib/errors.ts'
import { asFleeting } from '../lib/fleeting.ts'
import { flushFolder } from '../lib/flush-folder.ts'
import type { BlobContent, BlobInfo, ByteRange } from './blobs.ts'

/** Writes all of some bytes at a place of a file. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/** How many bytes are written at once: a call for each piece that a connection brings would cost more than the bytes. */
const writtenAtOnce = 512 * 1024

/** As much of a file is gathered first: most are small. */
const writtenFirst = 64 * 1024

/**
 * Writes a file from a place on in large steps; while one is written the next one is gathered. Pieces are copied, so that
 * what a connection brings may be given back at once and memory stays flat.
 */
export class FileWriter {
  readonly #file: FileHandle
  /** The one that is gathered in, and the one that is written; made when they are needed. */
  #gathered: Buffer | undefined
  #spare: Buffer | undefined
  #gatheredBytes = 0
  #position: number
  #writing: Promise<void> | undefined
  /** Size of the next one that is made. */
  #next: number

  constructor(file: FileHandle, atBytes = 0) {
    this.#file = file
    this.#position = atBytes
    this.#next = writtenFirst
  }

  /** Takes a piece; waits where the disk is slower than what comes in. */
  async add(piece: Buffer): Promise<void> {
    for (let taken = 0; taken < piece.length;) {
      this.#gathered ??= Buffer.allocUnsafeSlow(this.#next)
      const copied = piece.copy(this.#gathered, this.#gatheredBytes, taken)
      taken += copied
      this.#gatheredBytes += copied
      if (this.#gatheredBytes === this.#gathered.length) await this.#write()
    }
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    if (this.#gatheredBytes > 0) await this.#write()
    await this.#writing
  }

  /** Waits until nothing is being written any more, so that the file may be closed. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#writing])
  }

  /** Begins to write what was gathered, after what was gathered before is written. */
  async #write(): Promise<void> {
    await this.#writing
    const full = this.#gathered as Buffer
    this.#writing = writeAt(this.#file, full.subarray(0, this.#gatheredBytes), this.#position)
    // It is told where it is waited for.
    this.#writing.catch(() => {})
    this.#position += this.#gatheredBytes
    this.#gathered = this.#spare
    this.#spare = full.length === writtenAtOnce ? full : undefined
    this.#gatheredBytes = 0
    this.#next = writtenAtOnce
  }
}

/** Moves a file to its place. A neighbour's deletion may take the new folder away again; then it is made once more. */
export async function renameInto(from: string, to: string, root: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const firstMade = await mkdir(dirname(to), { recursive: true })
    try {
      await rename(from, to)
    } catch (error) {
      if (attempt >= 5 || !hasCode(error, 'ENOENT')) throw error
      continue
    }
    // The rename itself is lost in a power cut unless its folder is flushed, and so is each new folder above it.
    const highest = firstMade === undefined ? dirname(to) : dirname(firstMade)
    for (let folder = dirname(to); folder.startsWith(root); folder = dirname(folder)) {
      await flushFolder(folder)
      if (folder === highest) break
    }
    return
  }
}

/** Removes a folder and those above it, up to the root, as far as they are empty. */
export async function removeEmptyFolders(from: string, root: string): Promise<void> {
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

/** Size and age of a file; undefined when there is none. */
export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const found = await ignoreMissing(stat(path))
  return found?.isFile() === true ? toInfo(found) : undefined
}

/** How many bytes of a file are read at once: half of the calls that the usual size would need. */
const readAtOnce = 128 * 1024

/** The content of a file, or undefined when there is none. Throws RangeNotSatisfiable. */
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
