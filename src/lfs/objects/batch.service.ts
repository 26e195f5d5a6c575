import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { transaction } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import { TooLarge } from '../../lib/errors.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { nowUnix } from '../../lib/time.ts'
import { giveObjects } from './object.service.ts'
import { holdBlobs, listObjects, listReadableObjects, touchObjects, type StoredObject } from './object.store.ts'
import { isObjectId, isObjectSize, type Pointer } from './pointer.rules.ts'

/** Action for one object of a batch. */
export type Planned = Pointer &
  (
    | { readonly does: 'download'; readonly blobKey: string }
    | { readonly does: 'upload' }
    /** The object exists. */
    | { readonly does: 'nothing' }
    | { readonly does: 'fail'; readonly code: 404 | 422; readonly message: string }
  )

/** Largest number of objects of a batch when the settings state none. */
const defaultMaxObjects = 1000

/** Number of files that are looked up concurrently. */
const parallelLooks = 16

function checkBatch({ config }: RepoCtx, pointers: readonly Pointer[]): void {
  const limit = config.server.lfsMaxBatchSize || defaultMaxObjects
  if (pointers.length > limit) {
    throw new TooLarge(`a batch has at most ${limit} objects`, 'lfs_batch_too_large', { limit })
  }
}

const failed = (pointer: Pointer, code: 404 | 422, message: string): Planned => ({
  ...pointer,
  does: 'fail',
  code,
  message,
})

const invalid = (pointer: Pointer): Planned | undefined =>
  isObjectId(pointer.oid) && isObjectSize(pointer.sizeBytes)
    ? undefined
    : failed(pointer, 422, 'Oid or size are invalid')

const otherSize = (pointer: Pointer): Planned =>
  failed(pointer, 422, `Object ${pointer.oid} is not ${pointer.sizeBytes} bytes`)

const oidsOf = (pointers: readonly Pointer[]): string[] => [
  ...new Set(pointers.filter((pointer) => !invalid(pointer)).map(({ oid }) => oid)),
]

/** Returns the objects whose files exist in the store, by id. */
async function present(ctx: RepoCtx, objects: readonly StoredObject[]): Promise<ReadonlyMap<string, StoredObject>> {
  const found = await mapLimited(objects, parallelLooks, async (object) =>
    (await ctx.blobs.lfs.stat(object.blob_key)) ? [object] : [],
  )
  return new Map(found.flat().map((object) => [object.oid, object]))
}

/**
 * Returns the objects that may be downloaded from the repository; those of other repositories are missing. Throws
 * `TooLarge` for too many.
 */
export async function planDownloads(ctx: RepoCtx, pointers: readonly Pointer[]): Promise<Planned[]> {
  checkBatch(ctx, pointers)
  const objects = await present(ctx, await listObjects(ctx.db, ctx.repo.id, oidsOf(pointers)))
  return pointers.map((pointer) => {
    const problem = invalid(pointer)
    if (problem) return problem
    const object = objects.get(pointer.oid)
    if (!object) return failed(pointer, 404, 'Not Found')
    return object.size_bytes === pointer.sizeBytes
      ? { ...pointer, does: 'download', blobKey: object.blob_key }
      : otherSize(pointer)
  })
}

/**
 * Returns the objects to upload before a push. Objects of other repositories that the caller may read are linked
 * instead. All others must be uploaded, stored or not, and the reply does not tell the difference. Throws `OverQuota`
 * and `TooLarge`.
 */
export async function planUploads(ctx: SignedInRepoCtx, pointers: readonly Pointer[]): Promise<Planned[]> {
  checkBatch(ctx, pointers)
  await refuseOverQuota(ctx, ctx.owner, 'size:git:lfs')
  const oids = oidsOf(pointers)
  const owned = await present(ctx, await listObjects(ctx.db, ctx.repo.id, oids))
  const elsewhere = await present(
    ctx,
    await listReadableObjects(
      ctx.db,
      ctx.viewer,
      oids.filter((oid) => !owned.has(oid)),
    ),
  )
  const { lfsMaxFileSize } = ctx.config.server
  const isTooLarge = ({ sizeBytes }: Pointer): boolean => lfsMaxFileSize > 0 && sizeBytes > lfsMaxFileSize
  const isHere = (pointer: Pointer): boolean => owned.get(pointer.oid)?.size_bytes === pointer.sizeBytes
  const isThere = (pointer: Pointer): boolean =>
    elsewhere.get(pointer.oid)?.size_bytes === pointer.sizeBytes && !isTooLarge(pointer)
  const kept = await keep(ctx, pointers.filter(isHere), pointers.filter(isThere))
  return pointers.map((pointer) => {
    const problem = invalid(pointer)
    if (problem) return problem
    const size = (owned.get(pointer.oid) ?? elsewhere.get(pointer.oid))?.size_bytes
    if (size !== undefined && size !== pointer.sizeBytes) return otherSize(pointer)
    if (kept.has(pointer.oid)) return { ...pointer, does: 'nothing' }
    if (isTooLarge(pointer)) return failed(pointer, 422, `Size must be less than or equal to ${lfsMaxFileSize}`)
    return { ...pointer, does: 'upload' }
  })
}

/**
 * Protects objects from garbage collection until the push, and links those of other repositories. Returns the objects
 * that the repository has now, because one may have been deleted meanwhile.
 */
async function keep(
  ctx: SignedInRepoCtx,
  here: readonly Pointer[],
  there: readonly Pointer[],
): Promise<ReadonlySet<string>> {
  if (here.length === 0 && there.length === 0) return new Set()
  return transaction(ctx.db, async (tx) => {
    const atUnix = nowUnix(ctx.clock)
    const blobs = await holdBlobs(tx, pluck(there, 'oid'))
    await giveObjects(tx, ctx.repo.id, blobs, atUnix)
    const touched = await touchObjects(
      tx,
      ctx.repo.id,
      here.map(({ oid }) => oid),
      atUnix,
    )
    return new Set([...touched, ...blobs.map(({ oid }) => oid)])
  })
}
