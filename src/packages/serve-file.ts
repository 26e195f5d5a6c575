import type { Ctx } from '../access/context.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import type { Call } from '../http/operation.ts'
import { empty } from '../http/reply.ts'
import { NotFound } from '../lib/errors.ts'
import type { FileRecord } from './file.store.ts'
import { countOneDownload } from './package.service.ts'

/** The replies of an operation that serves a file of a package. */
export const packageFileReplies = { ...fileReplies, 303: 'empty' } as const

/** How long an address of the object storage is good for beginning a download, in seconds. */
const signedSeconds = 300

/**
 * Serves a file of a package and counts that: its bytes, or where to get them when the object storage hands out its files
 * itself (`SERVE_DIRECT`). Whether the caller may have it was asked before.
 */
export async function servePackageFile(ctx: Ctx, file: FileRecord, call: Call) {
  const isCounted = call.method === 'GET'
  const direct = isCounted
    ? await ctx.blobs.packages.signedUrl?.(file.blob_key, { expiresSeconds: signedSeconds, fileName: file.name })
    : undefined
  if (direct !== undefined) {
    await countOneDownload(ctx, file)
    return empty(303, { location: direct, 'cache-control': 'private, no-store' })
  }
  const reply = await serveFile(call, {
    name: file.name,
    content: {
      sizeBytes: file.size_bytes,
      async open(range) {
        const bounds = range ? { range: { start: range.start, end: range.end - 1 } } : {}
        const content = await ctx.blobs.packages.get(file.blob_key, bounds)
        if (!content) throw new NotFound('the file was removed meanwhile', 'blob_gone')
        return content.stream
      },
    },
    contentType: 'application/octet-stream',
    disposition: 'attachment',
    etag: file.sha256,
    modifiedUnix: file.created_unix,
    // The name may get another content when it is deleted and published again.
    cacheControl: 'private, no-cache',
  })
  if (isCounted && reply.status !== 304) await countOneDownload(ctx, file)
  return reply
}
