import { buffer } from 'node:stream/consumers'
import type { Ctx } from '../../access/context.ts'
import { uploadLimits } from '../../attachments/repository-upload.service.ts'
import type { Config } from '../../config/load-config.ts'
import { readFormWithFiles } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, type Requirement } from '../../http/operation.ts'
import { NotFound } from '../../lib/errors.ts'
import type { BrowserCtx } from './browser-context.ts'
import { checkOwnForm } from './browser.requirements.ts'
import { csrfName } from '../ui/page-context.ts'

/** Uploads to repositories are switched on (`[repository.upload].ENABLED`). */
export const uploadsOn: Requirement<Ctx, object> = {
  codes: ['uploadsOn'],
  refuses: [404],
  check(ctx) {
    if (!uploadLimits(ctx).isOn) throw new NotFound('uploads are switched off here', 'uploads_disabled')
    return {}
  },
}

/** A sent file. */
export interface UploadedFile {
  readonly field: string
  readonly filename: string
  readonly content: Buffer
}

/** A form with files. */
export interface Upload {
  readonly fields: Readonly<Record<string, string>>
  readonly files: readonly UploadedFile[]
}

/** The body of an operation that requires `ownUpload`. */
export const uploadBody = bytesOf('multipart/form-data')

const maxFieldBytes = 65_536

/**
 * Requires a form of this site with files, like `ownForm`, and reads it into memory. A file over the limit is
 * `TooLarge`; empty file fields are left out.
 */
export const ownUpload = (
  maxBytes: (config: Config) => number,
): Requirement<BrowserCtx, { readonly upload: Upload }> => ({
  codes: ['csrf'],
  refuses: [403, 413, 422],
  async check(ctx, call) {
    const maxFileBytes = maxBytes(ctx.config)
    const files: UploadedFile[] = []
    const contentType = contentTypeOf(call)
    const look = (chunk: Buffer) => call.holds(chunk.length)
    const limits = { maxFieldBytes, maxFileBytes, look }
    const fields = await readFormWithFiles(call.body(), contentType, limits, async ({ field, filename, content }) => {
      const bytes = await buffer(content)
      if (bytes.length > 0) files.push({ field, filename, content: bytes })
    })
    checkOwnForm(ctx, call, fields[csrfName])
    return { upload: { fields, files } }
  },
})
