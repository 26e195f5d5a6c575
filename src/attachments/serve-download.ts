import type { Ctx } from '../access/context.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import { fileReplies, serveFile } from '../http/file-reply.ts'
import type { Call } from '../http/operation.ts'
import { empty } from '../http/reply.ts'
import { NotFound } from '../lib/errors.ts'
import { countOneDownload } from './download.service.ts'

/** The replies of an operation that serves an attached file. */
export const downloadReplies = { ...fileReplies, 303: 'empty' } as const

/** How long an address of the object storage is good for beginning a download, in seconds. */
const signedSeconds = 300

/**
 * Serves an attached file and counts that: its bytes, or where to get them, for a file that lies elsewhere and where the
 * object storage hands out its files itself (`SERVE_DIRECT`). Whether the caller may have it was asked before.
 */
export async function serveDownload(ctx: Ctx, file: AttachmentRow, call: Call) {
  const isCounted = call.method === 'GET'
  const elsewhere = await addressOf(ctx, file, call)
  if (elsewhere !== undefined) {
    if (isCounted) await countOneDownload(ctx, file)
    return empty(303, { location: elsewhere, 'cache-control': 'private, no-store' })
  }
  const reply = await serveFile(call, {
    name: file.name,
    content: {
      sizeBytes: file.size_bytes,
      async open(range) {
        const bounds = range ? { range: { start: range.start, end: range.end - 1 } } : {}
        const content = await ctx.blobs.attachments.get(file.blob_key, bounds)
        if (!content) throw new NotFound('the attachment does not exist', 'attachment_not_found')
        return content.stream
      },
    },
    etag: file.uuid,
    modifiedUnix: file.created_unix,
  })
  if (isCounted && reply.status !== 304) await countOneDownload(ctx, file)
  return reply
}

async function addressOf(ctx: Ctx, file: AttachmentRow, call: Call): Promise<string | undefined> {
  if (file.external_url !== '') return file.external_url
  // A signed address is for one method.
  if (call.method !== 'GET') return undefined
  return ctx.blobs.attachments.signedUrl?.(file.blob_key, { expiresSeconds: signedSeconds, fileName: file.name })
}
