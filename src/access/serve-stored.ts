import { fileReplies, serveFile, type ServedFile } from '../http/file-reply.ts'
import type { Call } from '../http/operation.ts'
import { empty } from '../http/reply.ts'
import type { NotFound } from '../lib/errors.ts'
import type { Blobs } from '../storage/blobs.ts'
import { contentOf } from './contributions/stored-content.ts'

/** The replies of an operation that serves a stored file. */
export const storedReplies = { ...fileReplies, 303: 'empty' } as const

/** How long an address of the object storage is good for beginning a download, in seconds. */
const signedSeconds = 300

/** A file of a store: how it is shown, and where it lies. */
export interface StoredFile extends Omit<ServedFile, 'content'> {
  readonly blobs: Blobs
  readonly key: string
  readonly sizeBytes: number
  /** Where it lies when it is not stored here. */
  readonly elsewhere?: string | undefined
  /** The refusal when its bytes are not there. */
  readonly missing?: () => NotFound
  /** Notes that it was downloaded. */
  readonly count: () => Promise<void>
}

/**
 * Serves a stored file and counts that: its bytes, or where to get them, for a file that lies elsewhere and where the
 * object storage hands out its files itself (`SERVE_DIRECT`). Whether the caller may have it was asked before.
 */
export async function serveStored(
  call: Call,
  { blobs, key, sizeBytes, elsewhere, missing, count, ...shown }: StoredFile,
) {
  const isCounted = call.method === 'GET'
  // A signed address is for one method.
  const signed = () =>
    isCounted ? blobs.signedUrl?.(key, { expiresSeconds: signedSeconds, fileName: shown.name }) : undefined
  const location = elsewhere ?? (await signed())
  if (location !== undefined) {
    if (isCounted) await count()
    return empty(303, { location, 'cache-control': 'private, no-store' })
  }
  const reply = await serveFile(call, { ...shown, content: contentOf(blobs, { key, sizeBytes }, missing) })
  if (isCounted && reply.status !== 304) await count()
  return reply
}
