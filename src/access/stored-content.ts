import type { FileContent } from '../http/file-reply.ts'
import { NotFound } from '../lib/errors.ts'
import type { Blobs } from '../storage/blobs.ts'

/** A blob as the content of a reply, which is opened when bytes of it are sent; undefined when there is none. */
export async function storedContent(blobs: Blobs, key: string): Promise<FileContent | undefined> {
  const info = await blobs.stat(key)
  if (!info) return undefined
  return {
    sizeBytes: info.sizeBytes,
    async open(range) {
      const blob = await blobs.get(key, range ? { range: { start: range.start, end: range.end - 1 } } : {})
      if (!blob) throw new NotFound('the file was removed meanwhile', 'blob_gone')
      return blob.stream
    },
  }
}
