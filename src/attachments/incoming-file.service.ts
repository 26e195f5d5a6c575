import { randomUUID } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RepoCtx } from '../access/context.ts'
import { sniffBytes, sniffContentType } from '../lib/content-type.ts'
import { BadRequest, type Invalid } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { allowedTypes, attachedName, mayAttach } from './attachment.rules.ts'

/** An incoming file. */
export interface IncomingFile {
  readonly name: string
  readonly content: Readable
}

/** A request to attach a file. */
export interface Upload {
  /** Passes the file on when it arrives, if any. Returns the other fields. */
  receive(maxFileBytes: number, take: (file: IncomingFile) => Promise<void>): Promise<UploadFields>
  readonly signal: AbortSignal
}

/** Fields beside or instead of the file. */
export interface UploadFields {
  /** Time to record for the action. */
  readonly updatedAt?: string | undefined
  /** Address of a file that is not uploaded. */
  readonly address?: string | undefined
}

/** A file in the store. */
export interface ArrivedFile {
  readonly uuid: string
  readonly blob_key: string
  readonly name: string
  readonly size_bytes: number
  readonly sha256: string
}

/** What may be attached to an object, and the refusal for other files. */
export interface AttachRules {
  /** In the form of `ALLOWED_TYPES`. */
  readonly types: string
  readonly refusal: typeof Invalid | typeof BadRequest
}

const mebibyte = 1024 * 1024

const blobKeyOf = (repoId: RepoId, uuid: string): string => `${repoId}/${uuid.slice(0, 2)}/${uuid}`

/**
 * Stores an incoming file and has `keep` record it. The type is checked by name or first bytes, the size by
 * `[attachment].MAX_SIZE` (`TooLarge`). A refused file leaves nothing in the store.
 * @param keep creates the row; throws for a request of another form
 */
export const takeUpload = <Row>(
  ctx: RepoCtx,
  upload: Upload,
  rules: AttachRules,
  keep: (file: ArrivedFile | undefined, fields: UploadFields) => Promise<Row>,
): Promise<Row> => takeUploads(ctx, upload, rules, ([file], fields) => keep(file, fields))

/** Like `takeUpload`, for any number of files. When one is refused, none stays in the store. */
export async function takeUploads<Row>(
  ctx: RepoCtx,
  upload: Upload,
  rules: AttachRules,
  keep: (files: readonly ArrivedFile[], fields: UploadFields) => Promise<Row>,
): Promise<Row> {
  const end = new AbortController()
  const signal = AbortSignal.any([upload.signal, end.signal])
  const storing: Promise<ArrivedFile>[] = []
  try {
    const fields = await upload.receive(ctx.config.attachment.maxSize * mebibyte, async (incoming) => {
      const stored = storeFile(ctx, incoming, rules, signal)
      storing.push(stored)
      await stored
    })
    return await keep(await Promise.all(storing), fields)
  } catch (error) {
    end.abort()
    for (const stored of await Promise.allSettled(storing)) {
      if (stored.status === 'fulfilled') await ctx.blobs.attachments.delete(stored.value.blob_key)
    }
    throw error
  }
}

/** The refusal of a request without a file. */
export const noFile = (): BadRequest =>
  new BadRequest('the request has no file in the field attachment', 'attachment_missing')

/** Returns the name for a file; refuses an empty name and one with a disallowed extension. */
export function checkedName(name: string, { types, refusal: Refused }: AttachRules): string {
  const checked = attachedName(name)
  if (checked === '') throw new Refused('[name]: the file has no name', 'attachment_nameless', { field: 'name' })
  if (!mayAttach(allowedTypes(types), checked, 'application/octet-stream')) {
    throw new Refused('[name]: files of this kind are not allowed', 'attachment_type', { field: 'name' })
  }
  return checked
}

/** Stores one file if it may be attached and is not too large. The caller inserts its row, or deletes the file. */
export async function storeFile(
  ctx: RepoCtx,
  file: IncomingFile,
  { types, refusal: Refused }: AttachRules,
  signal: AbortSignal,
): Promise<ArrivedFile> {
  const name = attachedName(file.name)
  if (name === '') throw new Refused('[name]: the file has no name', 'attachment_nameless', { field: 'name' })
  const allowed = allowedTypes(types)
  let { content } = file
  if (!allowed.isAny) {
    const looked = new PassThrough()
    // The reader of the stream gets the error.
    pipeline(content, looked).catch(() => {})
    if (!mayAttach(allowed, name, sniffContentType(await firstBytes(looked)))) {
      looked.destroy()
      throw new Refused('[attachment]: files of this kind are not allowed', 'attachment_type', { field: 'attachment' })
    }
    content = looked
  }
  const uuid = randomUUID()
  const blobKey = blobKeyOf(ctx.repo.id, uuid)
  const maxBytes = ctx.config.attachment.maxSize * mebibyte
  const { sizeBytes, sha256 } = await ctx.blobs.attachments.put(blobKey, content, { maxBytes, signal })
  return { uuid, blob_key: blobKey, name, size_bytes: sizeBytes, sha256 }
}

/** Reads the first bytes of a stream and puts them back. */
async function firstBytes(stream: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  while (size < sniffBytes) {
    const chunk = stream.read() as Buffer | null
    if (chunk) {
      chunks.push(chunk)
      size += chunk.length
      continue
    }
    if (stream.readableEnded || stream.destroyed || stream.writableFinished) break
    await new Promise<void>((resolve, reject) => {
      const done = () => {
        stream.off('readable', done).off('end', done).off('error', failed).off('finish', done)
        resolve()
      }
      const failed = (error: Error) => {
        stream.off('readable', done).off('end', done).off('finish', done)
        reject(error)
      }
      stream.once('readable', done).once('end', done).once('error', failed).once('finish', done)
    })
  }
  const head = Buffer.concat(chunks)
  if (head.length > 0) stream.unshift(head)
  return head
}
