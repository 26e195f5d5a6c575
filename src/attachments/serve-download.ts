import type { Ctx } from '../access/context.ts'
import { serveStored } from '../access/serve-stored.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { Call } from '../http/operation.ts'
import { NotFound } from '../lib/errors.ts'
import { countOneDownload } from './download.service.ts'

/** Serves an attached file. The caller has checked access. */
export const serveDownload = (ctx: Ctx, file: AttachmentRow, call: Call) =>
  serveStored(call, {
    name: file.name,
    blobs: ctx.blobs.attachments,
    key: file.blob_key,
    sizeBytes: file.size_bytes,
    elsewhere: file.external_url || undefined,
    missing: () => new NotFound('the attachment does not exist', 'attachment_not_found'),
    etag: file.uuid,
    modifiedUnix: file.created_unix,
    count: () => countOneDownload(ctx, file),
  })
