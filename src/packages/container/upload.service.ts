import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Services, SubjectCtx } from '../../access/context.ts'
import { reserveUsage } from '../../access/quota/reservation.service.ts'
import { transaction } from '../../db/database.ts'
import type { PackageUploadRow } from '../../db/tables/packages.ts'
import { BadRequest, Conflict, Invalid, NotFound, RangeNotSatisfiable, TooLarge } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import type { UploadId } from '../../storage/blobs.ts'
import { newBlobKey, storeContents, tooLarge, type ReceivedContent } from '../content/content.service.ts'
import { uploadLimit, type PublishCtx } from '../publish.service.ts'
import { digestsOfContent } from './container.service.ts'
import { contentNameOf, isDigest, rangeOf } from './container.rules.ts'
import { addReserved, deleteUpload, endTurn, findUpload, insertUpload, keepTurn, takeTurn } from './container.store.ts'

/** Duration of a lease on an upload in seconds, unless the request extends it: a client continues the upload of a dead process then. */
const turnSeconds = 60

/** The state of an upload. */
export type Upload = PackageUploadRow

const noUpload = () => new NotFound('the upload does not exist', 'blob_upload_unknown')
const badDigest = () => new BadRequest('the content is not what its digest says', 'digest_invalid')

/** Begins a chunked upload. */
export async function beginUpload(ctx: PublishCtx, image: string): Promise<{ readonly uuid: string }> {
  const uploadKey = await ctx.blobs.packages.uploads.begin()
  const uuid = randomUUID()
  await transaction(ctx.db, (tx) =>
    insertUpload(tx, {
      uuid,
      owner_id: ctx.subject.id,
      lower_name: image,
      creator_id: ctx.viewer.id,
      upload_key: uploadKey,
      size_bytes: 0,
      busy_until_unix: 0,
      created_unix: nowUnix(ctx.clock),
    }),
  )
  return { uuid }
}

/** Returns an upload to an image, or throws `NotFound`. */
export async function getUpload({ db, subject }: SubjectCtx, image: string, uuid: string): Promise<Upload> {
  const upload = await findUpload(db, uuid, subject.id, image)
  if (!upload) throw noUpload()
  return upload
}

/** Runs `work` under the lease of an upload; refuses concurrent requests. */
async function inTurn<Result>(ctx: PublishCtx, upload: Upload, work: () => Promise<Result>): Promise<Result> {
  const until = () => nowUnix(ctx.clock) + turnSeconds
  const isMine = await transaction(ctx.db, (tx) => takeTurn(tx, upload.id, nowUnix(ctx.clock), until()))
  if (!isMine) {
    // Without a lease the upload may have ended.
    await getUpload(ctx, upload.lower_name, upload.uuid)
    throw new Conflict('somebody else adds to the upload', 'blob_upload_invalid')
  }
  const again = setInterval(
    () => {
      // A lease that cannot be extended expires, and the store refuses a second write at one offset.
      transaction(ctx.db, (tx) => keepTurn(tx, upload.id, until())).catch(() => undefined)
    },
    (turnSeconds / 3) * 1000,
  )
  try {
    return await work()
  } finally {
    clearInterval(again)
    const { sizeBytes = 0 } = (await ctx.blobs.packages.uploads.find(upload.upload_key as UploadId)) ?? {}
    await transaction(ctx.db, (tx) => endTurn(tx, upload.id, sizeBytes))
  }
}

/** A chunk of an upload. */
export interface IncomingPart {
  readonly contentRange: unknown
  /** The declared size; 0 without one. The owner is charged for it before it arrives. */
  readonly sizeBytes: number
  readonly content: () => Readable
  readonly signal: AbortSignal
}

/** Charges a chunk before it arrives. An empty chunk only ends the upload, which an owner over quota may do. */
async function reserve(ctx: PublishCtx, upload: Upload, sizeBytes: number): Promise<void> {
  if (sizeBytes === 0) return
  await transaction(ctx.db, async (tx) => {
    if (!(await addReserved(tx, upload.id, sizeBytes))) throw noUpload()
    await reserveUsage(ctx, tx, {
      owner: ctx.subject,
      charged: { ownerId: ctx.subject.id },
      kind: 'packages',
      subject: 'size:assets:packages:all',
      sizeBytes,
    })
  })
}

async function append(ctx: PublishCtx, upload: Upload, part: IncomingPart): Promise<void> {
  const { content, signal, sizeBytes } = part
  const maxBytes = uploadLimit(ctx, ctx.config.packages.limitSizeContainer)
  const { uploads } = ctx.blobs.packages
  const id = upload.upload_key as UploadId
  const atBytes = (await uploads.find(id))?.sizeBytes
  if (atBytes === undefined) throw noUpload()
  if (atBytes + sizeBytes > maxBytes) throw tooLarge(maxBytes)
  await reserve(ctx, upload, sizeBytes)
  try {
    await uploads.append(id, content(), { atBytes, maxBytes, signal })
  } catch (error) {
    throw error instanceof TooLarge ? tooLarge(maxBytes) : error
  }
}

/**
 * Adds a chunk to an upload; its body is opened after the lease is held. Throws `RangeNotSatisfiable` for a chunk at
 * another
 * offset, `BadRequest` for a later chunk without an offset, and `OverQuota`. Returns the total size.
 */
export async function addPart(ctx: PublishCtx, upload: Upload, part: IncomingPart): Promise<number> {
  const range = rangeOf(part.contentRange)
  return inTurn(ctx, upload, async () => {
    const { uploads } = ctx.blobs.packages
    const have = (await uploads.find(upload.upload_key as UploadId))?.sizeBytes ?? 0
    if (!range && have > 0) throw new BadRequest('where the part belongs is not said', 'blob_upload_invalid')
    if (range && range.start !== have) throw new RangeNotSatisfiable(have)
    await append(ctx, upload, part)
    return (await uploads.find(upload.upload_key as UploadId))?.sizeBytes ?? have
  })
}

/** Ends an upload with its last chunk and passes on the content. An upload with another digest stays open. */
export async function completeUpload<Result>(
  ctx: PublishCtx,
  upload: Upload,
  digest: string,
  last: IncomingPart,
  use: (arrived: ReceivedContent) => Promise<Result>,
): Promise<Result> {
  if (!isDigest(digest)) throw badDigest()
  const { algorithm, hex } = contentNameOf(digest)
  const range = rangeOf(last.contentRange)
  return inTurn(ctx, upload, async () => {
    const { uploads } = ctx.blobs.packages
    const id = upload.upload_key as UploadId
    const have = (await uploads.find(id))?.sizeBytes ?? 0
    if (range && range.start !== have) throw new RangeNotSatisfiable(have)
    await append(ctx, upload, last)
    const whole = (await uploads.find(id))?.sizeBytes
    const result = await storeContents(ctx, async (_receive, take) => {
      const blobKey = take(newBlobKey())
      const stored = await uploads
        .complete(id, blobKey, { expected: { [algorithm]: hex }, digests: digestsOfContent(digest, whole) })
        .catch((error: unknown) => {
          throw error instanceof Invalid ? badDigest() : error
        })
      return use({ ...stored, blobKey })
    })
    await transaction(ctx.db, (tx) => deleteUpload(tx, upload.id))
    return result
  })
}

/** Cancels an upload. Throws `NotFound` when it has ended. */
export async function abortUpload(ctx: Services, upload: Pick<Upload, 'id' | 'upload_key'>): Promise<void> {
  if (!(await transaction(ctx.db, (tx) => deleteUpload(tx, upload.id)))) throw noUpload()
  await ctx.blobs.packages.uploads.abort(upload.upload_key as UploadId)
}
