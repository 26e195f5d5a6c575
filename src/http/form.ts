import busboy from 'busboy'
import type { Readable } from 'node:stream'
import { Invalid, bodyTooLarge, TooLarge } from '../lib/errors.ts'
import { asFleeting, isFleeting } from '../lib/fleeting.ts'

/** A file of a multipart body as a stream; it must be read to its end before the form continues. */
export interface FormFile {
  readonly field: string
  readonly filename: string
  readonly contentType: string
  readonly content: Readable
}

/** Maximum number of fields and files of a form. */
const maxParts = 100

/**
 * Text fields of a multipart body of at most `maxBytes`; files are passed over.
 * @param held told of the size of each part that arrives; may refuse it
 */
export const readForm = (
  body: Readable,
  contentType: string,
  maxBytes: number,
  held: (bytes: number) => void,
): Promise<Record<string, string>> => {
  let size = 0
  const look = (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) throw bodyTooLarge(maxBytes)
    held(chunk.length)
  }
  const limits = { maxFieldBytes: maxBytes, maxFileBytes: maxBytes, look }
  return readFormWithFiles(body, contentType, limits, async (file) => {
    file.content.resume()
  })
}

/**
 * Reads a multipart body. Each file is given to `takeFile` as it arrives; the next one may begin when the stream of the
 * previous one has ended, before its promise is settled. A file over the limit ends its stream with `TooLarge`.
 * @returns the text fields
 */
export function readFormWithFiles(
  body: Readable,
  contentType: string,
  limits: {
    readonly maxFieldBytes: number
    readonly maxFileBytes: number
    /** Receives the size of each chunk; an exception ends the form. */
    readonly look?: (chunk: Buffer) => void
    /** Receives each field as it arrives, so that it is known when a later file is refused. */
    readonly onField?: (name: string, value: string) => void
  },
  takeFile: (file: FormFile) => Promise<void>,
): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = Object.create(null) as Record<string, string>
    const taken: Promise<void>[] = []
    let parser: busboy.Busboy
    try {
      parser = busboy({
        headers: { 'content-type': contentType },
        defParamCharset: 'utf8',
        limits: { fieldSize: limits.maxFieldBytes, fileSize: limits.maxFileBytes, parts: maxParts },
      })
    } catch (error) {
      reject(new Invalid(`[]: ${(error as Error).message}`, 'invalid_form'))
      return
    }
    const fail = (error: Error) => {
      body.unpipe(parser)
      body.resume()
      reject(error)
    }
    parser.on('field', (name, value, info) => {
      if (info.valueTruncated) fail(new TooLarge(`the field ${name} is larger than ${limits.maxFieldBytes} bytes`))
      else {
        fields[name] = value
        limits.onField?.(name, value)
      }
    })
    parser.on('file', (field, content, info) => {
      content.on('limit', () => content.destroy(new TooLarge(`the file is larger than ${limits.maxFileBytes} bytes`)))
      // A form that ends inside a file destroys its stream; the parser reports the same error. Without a listener, a file that is
      // passed over would end the process.
      content.on('error', () => {})
      // The parser keeps no reference to the chunks.
      if (isFleeting(body)) asFleeting(content)
      const done = takeFile({ field, filename: info.filename ?? '', contentType: info.mimeType, content })
      done.catch(fail)
      taken.push(done)
    })
    parser.on('partsLimit', () => fail(new TooLarge(`a form has at most ${maxParts} parts`)))
    parser.on('error', (error) => fail(new Invalid(`[]: ${(error as Error).message}`, 'invalid_form')))
    parser.on('close', () => {
      Promise.all(taken).then(() => resolve(fields), reject)
    })
    body.on('error', reject)
    const { look } = limits
    if (look) {
      const judge = (chunk: Buffer) => {
        try {
          look(chunk)
        } catch (error) {
          body.off('data', judge)
          fail(error as Error)
        }
      }
      body.on('data', judge)
    }
    body.pipe(parser)
  })
}
