import type { WholeCheck } from '../../access/contributions/doctor.ts'
import { transaction } from '../../db/database.ts'
import { idBatches } from '../../db/id-batches.ts'
import { countMisplaced, placeAnew, placedTables } from './list-columns.store.ts'

/** Issues whose rows are looked at at once. */
const batchSize = 2000

/** Lists find their rows by it: one that says otherwise is missing in one list and shows up in another. */
export const placesCheck: WholeCheck = {
  name: 'places-of-issues',
  about: 'labels, assignees, mentions, comments, times and requests for reviews know what lists ask of their issue',
  async *run({ db }, { fix }) {
    for await (const batch of idBatches(db, 'issue', batchSize)) {
      for (const table of placedTables) {
        const count = await countMisplaced(db, table, batch)
        if (count === 0) continue
        if (fix) await transaction(db, (tx) => placeAnew(tx, table, batch))
        const what = `${table}: ${count} rows below issues ${batch.after + 1} to ${batch.last} do not say what their issue does`
        yield { what, state: fix ? 'fixed' : 'fixable' }
      }
    }
  },
}
