import { createHash } from 'node:crypto'
import { ownService } from '../../access/own-service.ts'
import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { PackageBlobRow } from '../../db/tables/packages.ts'
import { createConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { Unavailable } from '../../lib/errors.ts'
import type { PackageBlobId, PackageId } from '../../lib/ids.ts'
import type { DigestName } from '../../storage/blobs.ts'
import { listIncompleteDigests, putDigests } from './blob.store.ts'
import type { FileRecord } from './file.store.ts'

/** The digests beside SHA-256, which identifies every content. */
export const allDigests: readonly DigestName[] = ['md5', 'sha1', 'sha512']

/** Contents up to this size in bytes get all digests during the upload; computing them later costs more. */
const maxEagerBytes = 8 << 20

/** Largest number of contents that wait for their digests. */
const maxWaiting = 256

/**
 * Returns the digests to compute during an upload to a registry whose format needs none. They take four times as long
 * as the
 * rest of an upload, so those of a large content are computed on the first request for them.
 * @param sizeBytes undefined when the client declares no size
 */
export const uploadDigests = (sizeBytes: number | undefined): readonly DigestName[] =>
  sizeBytes !== undefined && sizeBytes <= maxEagerBytes ? allDigests : []

/** The digests that are being computed, one content at a time. */
export const digestWork = ownService('the digests of contents of packages', {
  open: () => ({
    underWay: new Map<PackageBlobId, Promise<Digests>>(),
    limit: createConcurrencyLimit({
      running: 1,
      waiting: maxWaiting,
      refusal: () => new Unavailable('too many digests are being computed; try again later', 'digests_busy'),
    }),
  }),
})

type Digests = Pick<PackageBlobRow, 'md5' | 'sha1' | 'sha512'>

const isKnown = ({ md5, sha1, sha512 }: Digests): boolean => md5 !== '' && sha1 !== '' && sha512 !== ''

type Content = Digests & { readonly blobId: PackageBlobId; readonly blobKey: string }

/** Computes and stores the digests of a content. Concurrent callers share one computation. */
function computeDigests(services: Services, { blobId, blobKey, ...known }: Content): Promise<Digests> {
  const { underWay, limit } = digestWork.of(services)
  const reckoning =
    underWay.get(blobId) ??
    limit
      .run(async () => {
        const stored = await services.blobs.packages.get(blobKey)
        // `ingot doctor` reports files that the store has lost.
        if (!stored) return known
        const [md5, sha1, sha512] = [createHash('md5'), createHash('sha1'), createHash('sha512')]
        for await (const piece of stored.stream) {
          for (const hash of [md5, sha1, sha512]) hash.update(piece as Buffer)
        }
        const digests = { md5: md5.digest('hex'), sha1: sha1.digest('hex'), sha512: sha512.digest('hex') }
        await transaction(services.db, (tx) => putDigests(tx, blobId, digests))
        return digests
      })
      .finally(() => underWay.delete(blobId))
  underWay.set(blobId, reckoning)
  return reckoning
}

/** Returns the files with all of their digests. */
export async function withDigests(services: Services, files: readonly FileRecord[]): Promise<FileRecord[]> {
  return Promise.all(
    files.map(async (file) => {
      if (isKnown(file)) return file
      const { md5, sha1, sha512, blob_id: blobId, blob_key: blobKey } = file
      return { ...file, ...(await computeDigests(services, { md5, sha1, sha512, blobId, blobKey })) }
    }),
  )
}

/** Computes the missing digests of all contents of a package. */
export async function computeAllDigests(services: Services, packageId: PackageId): Promise<void> {
  for (const { id, blob_key: blobKey, ...known } of await listIncompleteDigests(services.db, packageId, maxWaiting)) {
    await computeDigests(services, { blobId: id, blobKey, ...known })
  }
}
