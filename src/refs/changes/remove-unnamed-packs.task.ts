import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { blobKeyOf } from '../../git/packs/pack-store.ts'
import { schedule } from '../../jobs/schedule.ts'
import { pluck } from '../../lib/pluck.ts'
import { nowUnix } from '../../lib/time.ts'
import { removeStrayFiles } from '../../storage/stray-files.ts'
import { deleteReplacedPacks, listNamedBlobs } from './pack.store.ts'

/**
 * Time in which a pack without a row is kept, in seconds: longer than any read of a manifest that named it, and than any
 * change whose transaction will name it.
 */
export const graceSeconds = 86_400

/**
 * How long the row of a replaced pack is kept, in seconds. A copy that another process has learns from the row that it
 * need not have the pack. A copy that nobody reads for longer stores such packs again with its next change.
 */
const replacedSeconds = 30 * 86_400

/** Deletes packs that no manifest names, from the storage: of deleted repositories, joined ones, and of changes that failed. */
export const removeUnnamedPacks = schedule<Ctx>({
  name: 'remove_unnamed_packs',
  when: '@every 24h',
  async run({ db, packs, clock }, { signal }) {
    if (!packs) return
    const beforeUnix = nowUnix(clock) - graceSeconds
    await transaction(db, (tx) => deleteReplacedPacks(tx, nowUnix(clock) - replacedSeconds))
    await removeStrayFiles(packs, {
      beforeUnix,
      signal,
      async usedAmong(keys) {
        const named = new Set(pluck(await listNamedBlobs(db, keys.map(blobKeyOf), beforeUnix), 'blob_key'))
        return new Set(keys.filter((key) => named.has(blobKeyOf(key))))
      },
    })
  },
})
