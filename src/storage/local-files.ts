import { type FileHandle, mkdir, open, rename, rmdir, stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { RangeNotSatisfiable, Unavailable } from '../lib/errors.ts'
import type { BlobContent, BlobInfo, ByteRange } from './blobs.ts'

/** Writes all of some bytes at a place of a file. */
export async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten
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

/** Makes what was made, moved or removed in a folder last; a folder that is gone meanwhile needs none. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await ignoreMissing(open(path, 'r'))
  if (folder === undefined) return
  try {
    await folder.sync()
  } finally {
    await folder.close()
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
    return { ...info, stream: file.createReadStream(bounds) }
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
  error instanceof Error && 'code' in error && error.code === code

export async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}

/** A disk or quota that is full is no defect of ours. */
export const roomError = (error: unknown): unknown =>
  hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT')
    ? new Unavailable('there is no room for the file', 'storage_full')
    : error
