import { requestOrigin } from '../../audit/request-origin.ts'
import { transaction, type Db } from '../../db/database.ts'
import type { RefSource } from '../../git/git.ts'
import { findPacks, listPacks } from './pack.store.ts'
import { findGeneration, loadRefs } from './ref.store.ts'

/** The references in the database, which the git layer copies to the disk. */
export const refSource = (db: Db): RefSource => ({
  request: requestOrigin,
  generation: async (key) => (await findGeneration(db, key))?.generation,
  // A transaction ends when what it has read is durable, and the generation belongs to the references.
  state: (key) =>
    transaction(db, async (tx) => {
      const found = await findGeneration(tx, key)
      if (!found) return undefined
      const { generation, head, objectFormat } = found
      return { generation, head, objectFormat, refs: await loadRefs(tx, found), packs: await listPacks(tx, found) }
    }),
  async findPacks(key, names) {
    const found = await findGeneration(db, key)
    return found ? findPacks(db, found, names) : new Map()
  },
})
