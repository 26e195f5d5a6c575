import type { WholeCheck } from '../../access/contributions/doctor.ts'
import { transaction } from '../../db/database.ts'
import { idBatches } from '../../db/id-batches.ts'
import { countWrongColumns, repairColumns, listedTables } from './list-columns.store.ts'

/** Issues whose rows are checked in one statement. */
const batchSize = 2000

/** Compares the columns that rows repeat from their issue. A row with a wrong value is missing from one list and appears in another. */
export const listColumnsCheck: WholeCheck = {
  name: 'places-of-issues',
  about: 'labels, assignees, mentions, comments, times and review requests repeat the columns of their issue',
  async *run({ db }, { fix }) {
    for await (const batch of idBatches(db, 'issue', batchSize)) {
      for (const table of listedTables) {
        const count = await countWrongColumns(db, table, batch)
        if (count === 0) continue
        if (fix) await transaction(db, (tx) => repairColumns(tx, table, batch))
        const what = `${table}: ${count} rows of issues ${batch.after + 1} to ${batch.last} differ from their issue`
        yield { what, state: fix ? 'fixed' : 'fixable' }
      }
    }
  },
}
