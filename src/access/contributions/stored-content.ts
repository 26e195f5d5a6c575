import type { FileContent } from '../../http/file-reply.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Blobs } from '../../storage/blobs.ts'

/** How long a stored file is, and how to begin reading it or a part of it. */
export type StoredContent = Exclude<FileContent, Buffer>

const gone = () => new NotFound('the file was removed meanwhile', 'blob_gone')

/** A blob of known size as the content of a reply, which is opened when bytes of it are sent, and `missing` if it cannot be. */
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

/** Like `contentOf`, of a blob whose size the store is asked for; undefined when there is none. */
export async function storedContent(
  blobs: Blobs,
  key: string,
  missing?: () => NotFound,
): Promise<StoredContent | undefined> {
  const info = await blobs.stat(key)
  return info && contentOf(blobs, { key, sizeBytes: info.sizeBytes }, missing)
}
