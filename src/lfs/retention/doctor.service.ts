import type { DoctorCheck } from '../../access/contributions/doctor.ts'
import { enqueue } from '../../jobs/queue.ts'
import { transaction } from '../../db/database.ts'
import { countUnownedBlobs, releaseUnownedBlobs } from './release.store.ts'
import { sweepLfsBlobs } from './release.job.ts'

/** Marks LFS contents without a repository for deletion. Other checks cover lost files, sizes and usage. */
export const lfsCheck: DoctorCheck = {
  name: 'lfs',
  about: 'each stored LFS content belongs to a repository, or is about to be removed',
  async *run({ db }, { fix }) {
    const count = await countUnownedBlobs(db)
    if (count === 0) return
    if (fix) {
      await transaction(db, async (tx) => {
        await releaseUnownedBlobs(tx)
        await enqueue(tx, sweepLfsBlobs, {})
      })
    }
    yield {
      what: `${count} stored LFS contents belong to no repository`,
      state: fix ? 'fixed' : 'fixable',
    }
  },
}
