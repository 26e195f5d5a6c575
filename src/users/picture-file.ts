import type { ServedFile } from '../http/file-reply.ts'
import { NotFound } from '../lib/errors.ts'
import type { Blobs } from '../storage/blobs.ts'

/** A stored picture as a file to serve, or undefined. Its address is made of its bytes, so it never changes. */
export async function servedPicture(store: Blobs, key: string): Promise<ServedFile | undefined> {
  const info = await store.stat(key)
  if (!info) return undefined
  return {
    name: key,
    content: {
      sizeBytes: info.sizeBytes,
      async open(range) {
        const blob = await store.get(key, range ? { range: { start: range.start, end: range.end - 1 } } : {})
        if (!blob) throw new NotFound('there is no such picture', 'picture_not_found')
        return blob.stream
      },
    },
    etag: key,
    modifiedUnix: info.modifiedUnix,
    cacheControl: 'public, max-age=604800, immutable',
  }
}
