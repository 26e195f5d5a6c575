import { readFormWithFiles } from '../http/form.ts'
import type { Call } from '../http/operation.ts'
import { untied } from '../http/untied-body.ts'
import { contentTypeOf } from '../http/media-type.ts'
import type { Upload } from './incoming-file.service.ts'

/** Form field of the file, and the size limit of other fields. */
const fileField = 'attachment'
const maxFieldBytes = 10_000

/**
 * Returns the file of a request: the form field `attachment`, or the whole body with the name from the query. The first
 * of several files counts.
 */
export const uploadOf = (
  call: Call,
  query: { readonly name?: string | undefined; readonly updated_at?: string | undefined },
): Upload => ({
  signal: call.signal,
  async receive(maxFileBytes, take) {
    const contentType = contentTypeOf(call)
    if (!/^multipart\/form-data/i.test(contentType)) {
      if (query.name) await take({ name: query.name, content: untied(call.body()) })
      return { updatedAt: query.updated_at }
    }
    let isTaken = false
    const fields = await readFormWithFiles(call.body(), contentType, { maxFieldBytes, maxFileBytes }, async (file) => {
      if (file.field !== fileField || isTaken) {
        file.content.resume()
        return
      }
      isTaken = true
      await take({ name: query.name || file.filename, content: file.content })
    })
    return { updatedAt: fields['updated_at'] || query.updated_at, address: fields['external_url'] }
  },
})
