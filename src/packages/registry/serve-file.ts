import type { Ctx } from '../../access/context.ts'
import { serveStored } from '../../access/serve-stored.ts'
import type { Call } from '../../http/operation.ts'
import type { FileRecord } from '../content/file.store.ts'
import { countOneDownload } from '../package.service.ts'

/** How a registry serves a file, when it is not as any bytes. */
export interface ServedAs {
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves a file of a package. Whether the caller may have it was asked before. */
export const servePackageFile = (
  ctx: Ctx,
  file: FileRecord,
  call: Call,
  { contentType = 'application/octet-stream', headers = {} }: ServedAs = {},
) =>
  serveStored(call, {
    name: file.name,
    blobs: ctx.blobs.packages,
    key: file.blob_key,
    sizeBytes: file.size_bytes,
    contentType,
    headers,
    disposition: 'attachment',
    etag: file.sha256,
    modifiedUnix: file.created_unix,
    // The name may get another content when it is deleted and published again.
    cacheControl: 'private, no-cache',
    count: () => countOneDownload(ctx, file),
  })
