import { readFormWithFiles } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import type { Call } from '../../http/operation.ts'
import { untied } from '../../http/untied-body.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { IncomingFile } from '../publish.service.ts'

/** Largest text field of a form, in bytes. */
const maxFieldBytes = 256_000

/**
 * Reads the file of an upload: the whole body, or the first file of a form.
 * @param field the form field that must hold the file
 */
export function incomingFileOf(call: Call, field?: string): IncomingFile {
  const contentType = contentTypeOf(call)
  const isForm = /^multipart\/form-data/i.test(contentType)
  const length = call.headers['content-length']
  return {
    sizeBytes: isForm || length === undefined ? undefined : Number(length),
    signal: call.signal,
    async receive(take) {
      if (!isForm) {
        await take(untied(call.body()), '')
        return {}
      }
      let isTaken = false
      // The receiver of the content limits its size.
      const limits = { maxFieldBytes, maxFileBytes: Infinity }
      const fields = await readFormWithFiles(
        call.body(),
        contentType,
        limits,
        async ({ field: name, filename, content }) => {
          if (isTaken || (field !== undefined && name !== field)) {
            content.resume()
            return
          }
          isTaken = true
          await take(content, filename)
        },
      )
      if (!isTaken) throw new BadRequest('the form has no file', 'package_file_missing')
      return fields
    },
  }
}
