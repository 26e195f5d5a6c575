import { setImmediate } from 'node:timers/promises'
import type { WholeCheck } from '../access/doctor.ts'
import { transaction } from '../db/database.ts'
import type { IssueId } from '../lib/ids.ts'
import { countMisplaced, findEndOfIssues, placeAnew, placedTables } from './place.store.ts'

/** Issues whose rows are looked at at once; SQLite does it in this thread, and requests should not wait for long. */
const batchSize = 2000

/** Lists find their rows by it: one that says otherwise is missing in one list and shows up in another. */
export const placesCheck: WholeCheck = {
  name: 'places-of-issues',
  about: 'labels, assignees, mentions, comments, times and requests for reviews know what lists ask of their issue',
  async *run({ db }, { fix }) {
    let after = 0 as IssueId
    for (;;) {
      const last = await findEndOfIssues(db, after, batchSize)
      if (last === undefined) return
      const batch = { after, last }
      for (const table of placedTables) {
        const count = await countMisplaced(db, table, batch)
        if (count === 0) continue
        if (fix) await transaction(db, (tx) => placeAnew(tx, table, batch))
        const what = `${table}: ${count} rows below issues ${after + 1} to ${last} do not say what their issue does`
        yield { what, state: fix ? 'fixed' : 'fixable' }
      }
      after = last
      await setImmediate()
    }
  },
}
