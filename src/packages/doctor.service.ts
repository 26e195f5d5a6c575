import type { DoctorCheck } from '../access/contributions/doctor.ts'
import { addToUsage } from '../access/quota/usage.store.ts'
import { transaction, type Tx } from '../db/database.ts'
import { nowUnix } from '../lib/time.ts'
import { countUnmarkedBlobs, markUnusedBlobs } from './content/blob.store.ts'
import { deletePackageWithoutVersions } from './package.store.ts'
import { listEmptyPackages, listMiscounted } from './recount.store.ts'

/** Checks the counts that packages keep beside their rows. Lost files are checked with those of all features. */
export const packagesCheck: DoctorCheck = {
  name: 'packages',
  about: 'packages have versions, stored contents belong to files, and their bytes are charged to their owners',
  async *run({ db, clock }, { fix }) {
    const state = fix ? 'fixed' : 'fixable'
    for (const id of await listEmptyPackages(db)) {
      if (fix) await transaction(db, (tx) => deletePackageWithoutVersions(tx, id))
      yield { what: `package ${id} has no version`, state }
    }
    const unmarked = await countUnmarkedBlobs(db)
    if (unmarked > 0) {
      if (fix) await transaction(db, (tx) => markUnusedBlobs(tx, nowUnix(clock)))
      yield { what: `${unmarked} stored contents of packages belong to no file`, state }
    }
    const miscounted = fix ? await transaction(db, recount) : await listMiscounted(db)
    for (const { ownerId, written, counted } of miscounted) {
      yield { what: `account ${ownerId}: packages are ${written} and should be ${counted} bytes`, state }
    }
  },
}

/** Corrects the ledger in the transaction that counts; returns the former value. */
async function recount(tx: Tx): ReturnType<typeof listMiscounted> {
  const wrong = await listMiscounted(tx)
  for (const { ownerId, written, counted } of wrong) {
    await addToUsage(tx, { ownerId }, 'packages', counted - written)
  }
  return wrong
}
