import type { Ctx } from '../../access/context.ts'
import { serveStored } from '../../access/serve-stored.ts'
import type { Call } from '../../http/operation.ts'
import type { FileRecord } from '../content/file.store.ts'
import { countOneDownload } from '../package.service.ts'

export interface ServedAs {
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves a file of a package to a caller who may read it. */
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
    // A file of this name may be deleted and published again with another content.
    cacheControl: 'private, no-cache',
    count: () => countOneDownload(ctx, file),
  })
