import type { RepoCtx } from '../../access/context.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { keepArrived, newBlobKey } from './object.service.ts'
import type { Planned } from './batch.service.ts'
import type { Pointer } from './pointer.rules.ts'

/** An address of object storage that needs no other credential. */
export interface DirectAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expiresSeconds: number
  /** For an upload: identifies it when it is verified. */
  readonly grant?: string
}

/** Action for an object, with the address in object storage when clients go there directly (`SERVE_DIRECT`). */
export type Addressed = Planned & { readonly direct?: DirectAddress | undefined }

/** Adds the direct addresses to the objects of a batch. */
export const addressed = (ctx: RepoCtx, planned: readonly Planned[]): Promise<Addressed[]> =>
  Promise.all(
    planned.map(async (object) => {
      if (object.does === 'download') return { ...object, direct: await directDownload(ctx, object) }
      if (object.does === 'upload') return { ...object, direct: await directUpload(ctx, object) }
      return object
    }),
  )

/** Lifetime of addresses in object storage, in seconds; a running transfer may take longer. */
const expiresSeconds = 3600

const purpose = 'lfs-upload'

/** Folder for direct uploads until their verification. */
const arrivals = 'arrivals'

async function directDownload(
  { blobs }: RepoCtx,
  { oid, blobKey }: Pointer & { readonly blobKey: string },
): Promise<DirectAddress | undefined> {
  const url = await blobs.lfs.signedUrl?.(blobKey, {
    expiresSeconds,
    fileName: oid,
    contentType: 'application/octet-stream',
  })
  return url === undefined ? undefined : { url, headers: {}, expiresSeconds }
}

/**
 * Returns the address for a direct upload. The file stays aside until it is verified, because the address accepts other
 * bytes while it is valid.
 */
async function directUpload(
  { blobs, repo, secrets, clock }: RepoCtx,
  { oid, sizeBytes }: Pointer,
): Promise<DirectAddress | undefined> {
  const key = `${arrivals}/${newBlobKey(oid)}`
  const put = await blobs.lfs.signedPutUrl?.(key, { expiresSeconds, sizeBytes })
  if (!put) return undefined
  // An upload that outlives the address can still be verified.
  const grant = secrets.sign(purpose, { repoId: repo.id, key, oid, sizeBytes }, nowUnix(clock) + 24 * expiresSeconds)
  return { ...put, expiresSeconds, grant }
}

/**
 * Accepts a direct upload: moves it to a key without an address, then hashes it. Throws `Invalid` and deletes it when
 * the content differs, `NotFound` when it is missing or the grant is unknown.
 */
export async function acceptDirectUpload(ctx: RepoCtx, oid: string, grant: string, signal: AbortSignal): Promise<void> {
  const granted = ctx.secrets.verify(purpose, grant, nowUnix(ctx.clock))
  if (!granted || granted['repoId'] !== ctx.repo.id || granted['oid'] !== oid) {
    throw new NotFound('the object was not uploaded', 'lfs_object_not_found')
  }
  const pointer = { oid, sizeBytes: Number(granted['sizeBytes']) }
  const { lfs } = ctx.blobs
  const blobKey = newBlobKey(oid)
  const info = await lfs.stat(String(granted['key']))
  if (info && info.sizeBytes !== pointer.sizeBytes) {
    throw new Invalid(`Object ${oid} is not ${pointer.sizeBytes} bytes`, 'size_mismatch')
  }
  if (!info || !(await lfs.move(String(granted['key']), blobKey))) {
    throw new NotFound('the object was not uploaded', 'lfs_object_not_found')
  }
  await keepArrived(ctx, pointer, blobKey, signal)
}
