import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import { job } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import type { LfsBlobId } from '../../lib/ids.ts'
import { deleteUnownedBlobs, listReleasedBlobs } from './release.store.ts'

/** Contents per transaction, and concurrent deletions of files. */
const batch = 200
const parallelDeletions = 8

/** Deletes files whose rows are gone. Their keys are never reused. */
export const deleteLfsFiles = job({
  name: 'deleteLfsFiles',
  input: Type.Object({ keys: Type.Array(Type.String()) }),
  priority: 'low',
  async run({ blobs }: Ctx, { keys }) {
    await mapLimited(keys, parallelDeletions, (key) => blobs.lfs.delete(key))
  },
})

/** Deletes released contents that no repository has. */
export const sweepLfsBlobs = job({
  name: 'sweepLfsBlobs',
  input: Type.Object({}),
  priority: 'low',
  merge: () => 'all',
  lane: () => 'all',
  run: sweep,
})

export async function sweep({ db }: Ctx, _input: object, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  for await (const blobs of inBatches((after?: LfsBlobId) => listReleasedBlobs(db, after, batch))) {
    signal.throwIfAborted()
    await transaction(db, async (tx) => {
      const gone = await deleteUnownedBlobs(tx, pluck(blobs, 'id'))
      if (gone.length > 0) await enqueue(tx, deleteLfsFiles, { keys: gone.map((blob) => blob.blob_key) })
    })
  }
}
