import type { RepoCtx } from '../../access/context.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { keepArrived, newBlobKey } from './object.service.ts'
import type { Planned } from './batch.service.ts'
import type { Pointer } from './pointer.rules.ts'

/** An address of the object storage that needs no other credential. */
export interface DirectAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expiresSeconds: number
  /** For an upload: tells the verification which it is. */
  readonly grant?: string
}

/** What is to be done about an object, and where in the object storage when clients go there themselves (`SERVE_DIRECT`). */
export type Addressed = Planned & { readonly direct?: DirectAddress | undefined }

/** Finds where clients send and fetch the objects of a batch. */
export const addressed = (ctx: RepoCtx, planned: readonly Planned[]): Promise<Addressed[]> =>
  Promise.all(
    planned.map(async (object) => {
      if (object.does === 'download') return { ...object, direct: await directDownload(ctx, object) }
      if (object.does === 'upload') return { ...object, direct: await directUpload(ctx, object) }
      return object
    }),
  )

/** How long addresses of the object storage may be used. A transfer that has begun may take longer. */
const expiresSeconds = 3600

const purpose = 'lfs-upload'

/** Folder of what clients put into the object storage themselves, until it was looked at. */
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
 * Where to send an object. It lies aside until it is verified: whoever has the address may put other bytes there for as
 * long as it is good, so what is there is no object yet.
 */
async function directUpload(
  { blobs, repo, secrets, clock }: RepoCtx,
  { oid, sizeBytes }: Pointer,
): Promise<DirectAddress | undefined> {
  const key = `${arrivals}/${newBlobKey(oid)}`
  const put = await blobs.lfs.signedPutUrl?.(key, { expiresSeconds, sizeBytes })
  if (!put) return undefined
  // Whoever is still sending when the address ends may verify afterwards.
  const grant = secrets.sign(purpose, { repoId: repo.id, key, oid, sizeBytes }, nowUnix(clock) + 24 * expiresSeconds)
  return { ...put, expiresSeconds, grant }
}

/**
 * Makes an object of what a client put into the object storage: it is moved to where no address leads, and then hashed.
 * What is not what was announced is `Invalid` and removed; what is not there, or an unknown grant, is `NotFound`.
 */
export async function acceptDirectUpload(ctx: RepoCtx, oid: string, grant: string, signal: AbortSignal): Promise<void> {
  const granted = ctx.secrets.verify(purpose, grant, nowUnix(ctx.clock))
  if (!granted || granted['repoId'] !== ctx.repo.id || granted['oid'] !== oid) {
    throw new NotFound('the object was not sent', 'lfs_object_not_found')
  }
  const pointer = { oid, sizeBytes: Number(granted['sizeBytes']) }
  const { lfs } = ctx.blobs
  const blobKey = newBlobKey(oid)
  const info = await lfs.stat(String(granted['key']))
  if (info && info.sizeBytes !== pointer.sizeBytes) {
    throw new Invalid(`Object ${oid} is not ${pointer.sizeBytes} bytes`, 'size_mismatch')
  }
  if (!info || !(await lfs.move(String(granted['key']), blobKey))) {
    throw new NotFound('the object was not sent', 'lfs_object_not_found')
  }
  await keepArrived(ctx, pointer, blobKey, signal)
}
