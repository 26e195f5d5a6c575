import { fileReplies, serveFile, type ServedFile } from '../http/file-reply.ts'
import type { Call } from '../http/operation.ts'
import { empty } from '../http/reply.ts'
import type { NotFound } from '../lib/errors.ts'
import type { Blobs } from '../storage/blobs.ts'
import { contentOf } from './contributions/stored-content.ts'

/** The replies of an operation that serves a stored file. */
export const storedReplies = { ...fileReplies, 303: 'empty' } as const

/** Lifetime of a signed URL of the object storage in seconds. */
const signedSeconds = 300

/** A stored file: name, type and place. */
export interface StoredFile extends Omit<ServedFile, 'content'> {
  readonly blobs: Blobs
  readonly key: string
  readonly sizeBytes: number
  /** URL of a file that is stored elsewhere. */
  readonly elsewhere?: string | undefined
  /** The error for missing bytes. */
  readonly missing?: () => NotFound
  /** Counts the download. */
  readonly count: () => Promise<void>
}

/**
 * Serves a stored file and counts the download. It sends the bytes, or a redirect to external files and to the
 * object storage (`SERVE_DIRECT`). The caller has checked the rights.
 */
export async function serveStored(
  call: Call,
  { blobs, key, sizeBytes, elsewhere, missing, count, ...shown }: StoredFile,
) {
  const isCounted = call.method === 'GET'
  // A signed URL is valid for one method.
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
