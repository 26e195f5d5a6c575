import type { Blobs } from './blobs.ts'
import { openLocalBlobs } from './local-blobs.ts'
import { openS3Blobs } from './s3-blobs.ts'
import type { S3Options } from './s3-service.ts'

/** Location of a store: a folder or a bucket. */
export type BlobsLocation = { readonly type: 'local'; readonly path: string } | ({ readonly type: 's3' } & S3Options)

/** Opens the store at a location; it creates a folder. */
export const openBlobs = (storage: BlobsLocation): Promise<Blobs> =>
  storage.type === 'local' ? openLocalBlobs(storage) : openS3Blobs(storage)

/** The stores of an instance, by kind of files. */
export type BlobStores<Kind extends string> = Readonly<Record<Kind, Blobs>>

/** Opens all configured stores. */
export async function openStores<Kind extends string>(
  storages: Readonly<Record<Kind, BlobsLocation>>,
): Promise<BlobStores<Kind>> {
  const kinds = Object.keys(storages) as Kind[]
  const stores = await Promise.all(kinds.map(async (kind) => [kind, await openBlobs(storages[kind])] as const))
  return Object.fromEntries(stores) as BlobStores<Kind>
}
