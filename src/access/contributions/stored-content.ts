import type { FileContent } from '../../http/file-reply.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Blobs } from '../../storage/blobs.ts'

/** The size of a stored file and a function that reads it or a part. */
export type StoredContent = Exclude<FileContent, Buffer>

const gone = () => new NotFound('the file was removed meanwhile', 'blob_gone')

/**
 * Returns a blob of known size as the content of a reply. It is opened when bytes are sent; throws `missing` if it
 * does not exist.
 */
export const contentOf = (
  blobs: Blobs,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
  missing: () => NotFound = gone,
): StoredContent => ({
  sizeBytes,
  async open(range) {
    const blob = await blobs.get(key, range ? { range: { start: range.start, end: range.end - 1 } } : {})
    if (!blob) throw missing()
    return blob.stream
  },
})

/** Like `contentOf`, with the size from the store; undefined: the blob does not exist. */
export async function storedContent(
  blobs: Blobs,
  key: string,
  missing?: () => NotFound,
): Promise<StoredContent | undefined> {
  const info = await blobs.stat(key)
  return info && contentOf(blobs, { key, sizeBytes: info.sizeBytes }, missing)
}
