import { createHash, randomBytes } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { refuseOverQuotaBefore } from '../../access/quota/reservation.service.ts'
import { storedContent } from '../../access/contributions/stored-content.ts'
import type { UsageSource } from '../../access/quota/usage.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { LfsBlobRow, LfsObjectRow } from '../../db/tables/lfs.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { FileContent } from '../../http/file-reply.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { releaseChunk, isFleeting } from '../../lib/fleeting.ts'
import type { RepoId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import {
  addToLfsSize,
  countObjects,
  findBlob,
  holdBlobs,
  insertBlob,
  insertObjects,
  isBlobKeyUsed,
  listLargestObjects,
  listObjects,
  replaceBlobKey,
  sumObjects,
} from './object.store.ts'
import { isObjectId, isObjectSize, type Pointer } from './pointer.rules.ts'

const kind = 'lfs'

/** Bytes of LFS objects, charged to each repository that has them. */
export const lfsUsage: UsageSource = {
  kinds: [kind],
  count: async (db, repoIds) => (await sumObjects(db, repoIds)).map((sum) => ({ ...sum, kind })),
}

/** Charges bytes to a repository; a negative number releases them. */
export async function chargeObjects(tx: Tx, repoId: RepoId, differenceBytes: number): Promise<void> {
  if (differenceBytes === 0) return
  await addToUsage(tx, { repoId }, kind, differenceBytes)
  await addToLfsSize(tx, repoId, differenceBytes)
}

/** Returns a page of the objects of a repository, the largest first, and their total. */
export async function pageOfObjects(
  { db, repo }: RepoCtx,
  page: Page,
): Promise<{ readonly objects: readonly LfsObjectRow[]; readonly total: number }> {
  const [objects, total] = await rowsAndTotal(page, listLargestObjects(db, repo.id, page), countObjects(db, repo.id))
  return { objects, total }
}

/** Links locked contents to a repository. @returns the number of added bytes */
export async function giveObjects(
  tx: Tx,
  repoId: RepoId,
  blobs: readonly Pick<LfsBlobRow, 'id' | 'oid' | 'size_bytes'>[],
  atUnix: Unix,
): Promise<number> {
  const addedBytes = await insertObjects(tx, repoId, blobs, atUnix)
  await chargeObjects(tx, repoId, addedBytes)
  return addedBytes
}

/** Each upload gets a unique key, so deleting a file never affects an equal one. */
export const newBlobKey = (oid: string): string =>
  `${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}-${randomBytes(8).toString('hex')}`

/** Throws `Invalid` for a malformed object id or size. */
function checkForm({ oid, sizeBytes }: Pointer): void {
  if (!isObjectId(oid) || !isObjectSize(sizeBytes)) throw new Invalid('Oid or size are invalid', 'lfs_pointer_invalid')
}

/** Throws `Invalid` for a malformed pointer, and for an object larger than `[server].LFS_MAX_FILE_SIZE`. */
function checkPointer({ config }: Ctx, pointer: Pointer): void {
  checkForm(pointer)
  const { sizeBytes } = pointer
  const { lfsMaxFileSize } = config.server
  if (lfsMaxFileSize > 0 && sizeBytes > lfsMaxFileSize) {
    throw new Invalid(`Size must be less than or equal to ${lfsMaxFileSize}`, 'lfs_object_too_large')
  }
}

/**
 * Stores the content of an object for a repository and hashes it during the upload. Throws `Invalid` for other content,
 * which is not kept, and `OverQuota`. Of concurrent uploads of an object one is kept.
 */
export async function storeObject(
  ctx: Ctx & Pick<RepoCtx, 'repo' | 'owner'>,
  pointer: Pointer,
  content: Readable,
  signal: AbortSignal | undefined,
): Promise<void> {
  checkPointer(ctx, pointer)
  await refuseOverQuota(ctx, ctx.owner, 'size:git:lfs')
  const blobKey = newBlobKey(pointer.oid)
  await ctx.blobs.lfs.put(blobKey, content, {
    maxBytes: pointer.sizeBytes,
    expected: { sha256: pointer.oid, sizeBytes: pointer.sizeBytes },
    ...(signal ? { signal } : {}),
  })
  await recordArrived(ctx, pointer, blobKey)
}

/**
 * Records a stored file, which nobody else can reach, as an object. Throws `Invalid` for other content and deletes the
 * file.
 */
export async function keepArrived(ctx: RepoCtx, pointer: Pointer, blobKey: string, signal: AbortSignal): Promise<void> {
  try {
    await checkContent(ctx, pointer, blobKey, signal)
  } catch (error) {
    await ctx.blobs.lfs.delete(blobKey)
    throw error
  }
  await recordArrived(ctx, pointer, blobKey)
}

async function checkContent(ctx: RepoCtx, pointer: Pointer, blobKey: string, signal: AbortSignal): Promise<void> {
  checkPointer(ctx, pointer)
  await refuseOverQuota(ctx, ctx.owner, 'size:git:lfs')
  const blob = await ctx.blobs.lfs.get(blobKey)
  if (!blob) throw new NotFound('the object was not uploaded', 'lfs_object_not_found')
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of addAbortSignal(signal, blob.stream) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    sizeBytes += chunk.length
    if (isFleeting(blob.stream)) releaseChunk(chunk)
  }
  if (sizeBytes !== pointer.sizeBytes || hash.digest('hex') !== pointer.oid) {
    throw new Invalid('the content does not match the object id', 'checksum_mismatch')
  }
}

/**
 * Records a verified file, or deletes it when the content exists. Throws `OverQuota` when concurrent uploads exceeded
 * the quota.
 */
async function recordArrived(
  ctx: Ctx & Pick<RepoCtx, 'repo' | 'owner'>,
  pointer: Pointer,
  blobKey: string,
): Promise<void> {
  const { owner, repo } = ctx
  let usedKey: string
  try {
    const known = await findBlob(ctx.db, pointer.oid)
    const isLost = known !== undefined && (await ctx.blobs.lfs.stat(known.blob_key)) === undefined
    usedKey = await transaction(ctx.db, async (tx) => {
      const atUnix = nowUnix(ctx.clock)
      const blob = await holdOrInsert(tx, pointer, blobKey, atUnix)
      // A new upload replaces a lost file.
      const isHealed = isLost && (await replaceBlobKey(tx, blob.id, known.blob_key, blobKey))
      const sizeBytes = await giveObjects(tx, repo.id, [blob], atUnix)
      await refuseOverQuotaBefore(ctx, tx, { owner, kind, subject: 'size:git:lfs', sizeBytes })
      return isHealed ? blobKey : blob.blob_key
    })
  } catch (error) {
    // The commit may have succeeded although its confirmation was lost.
    if (!(await isBlobKeyUsed(ctx.db, blobKey))) await ctx.blobs.lfs.delete(blobKey)
    throw error
  }
  if (usedKey !== blobKey) await ctx.blobs.lfs.delete(blobKey)
}

async function holdOrInsert(tx: Tx, pointer: Pointer, blobKey: string, atUnix: Unix): Promise<LfsBlobRow> {
  // The existing row may be deleted before it is locked, and another process may insert a new one.
  for (;;) {
    const inserted = await insertBlob(tx, {
      oid: pointer.oid,
      size_bytes: pointer.sizeBytes,
      blob_key: blobKey,
      created_unix: atUnix,
      released_unix: null,
    })
    const blob = inserted ?? (await holdBlobs(tx, [pointer.oid]))[0]
    if (blob) return blob
  }
}

/** Returns an object of a repository; undefined when it is missing or has another size. */
export async function findObject(
  ctx: Pick<Ctx, 'db' | 'blobs'>,
  repo: Pick<RepoRow, 'id'>,
  { oid, sizeBytes }: { readonly oid: string; readonly sizeBytes?: number },
): Promise<{ readonly sizeBytes: number; readonly content: FileContent } | undefined> {
  const [object] = isObjectId(oid) ? await listObjects(ctx.db, repo.id, [oid]) : []
  if (!object || (sizeBytes !== undefined && object.size_bytes !== sizeBytes)) return undefined
  const content = await storedContent(ctx.blobs.lfs, object.blob_key)
  return content && { sizeBytes: object.size_bytes, content }
}

/** Returns the content of an object of the repository. Throws `Invalid` for a malformed id, `NotFound` for other objects. */
export async function getObject(ctx: RepoCtx, oid: string): Promise<FileContent> {
  checkForm({ oid, sizeBytes: 0 })
  const found = await findObject(ctx, ctx.repo, { oid })
  if (!found) throw new NotFound('the object does not exist', 'lfs_object_not_found')
  return found.content
}

/**
 * Throws `Invalid` for a malformed pointer, `NotFound` unless the object has arrived. The upload checked the size, so
 * another size passes (recorded: transport/lfs-batch, "verifying a wrong size").
 */
export async function verifyObject(ctx: SignedInRepoCtx, pointer: Pointer): Promise<void> {
  checkForm(pointer)
  await getObject(ctx, pointer.oid)
}
