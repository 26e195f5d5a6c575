import type { Readable } from 'node:stream'
import type { Ctx } from '../../access/context.ts'
import { BadRequest, Refusal, Unavailable } from '../../lib/errors.ts'
import type { ReceivedContent } from '../content/content.service.ts'

/** An uploaded archive in the store; its content is untrusted. */
export interface StoredArchive {
  readonly sizeBytes: number
  /** Opens all bytes, or those from `start` to `end`, both included. */
  open(range?: { readonly start: number; readonly end: number }): Promise<Readable>
}

export const archiveIn = (
  { blobs }: Pick<Ctx, 'blobs'>,
  { blobKey, sizeBytes }: Pick<ReceivedContent, 'blobKey' | 'sizeBytes'>,
): StoredArchive => ({
  sizeBytes,
  async open(range) {
    const content = await blobs.packages.get(blobKey, range ? { range } : {})
    if (!content) throw new Unavailable('the archive is not in the store', 'package_content_lost')
    return content.stream
  },
})

/** Returns a range of an archive as an archive. */
export const partOf = (archive: StoredArchive, start: number, sizeBytes: number): StoredArchive => ({
  sizeBytes,
  open: (range) => {
    const { start: from, end } = range ?? { start: 0, end: sizeBytes - 1 }
    return archive.open({ start: start + from, end: start + end })
  },
})

/** Reads the beginning of an archive. */
export async function firstBytes(archive: StoredArchive, length: number): Promise<Buffer> {
  if (archive.sizeBytes === 0) return Buffer.alloc(0)
  return wholeOf(await archive.open({ start: 0, end: Math.min(archive.sizeBytes, length) - 1 }), length)
}

/** Reads a content into memory. Throws `BadRequest` above `maxBytes`. */
export async function wholeOf(content: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    size += (chunk as Buffer).length
    if (size > maxBytes) throw brokenArchive('has a description that is too large')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

export const brokenArchive = (why: string): BadRequest =>
  new BadRequest(`the archive ${why}`, 'package_archive_invalid')

/** Runs a reader of an archive and turns unexpected errors into `BadRequest`, because the archive is untrusted. */
export async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw brokenArchive('cannot be read')
  }
}
