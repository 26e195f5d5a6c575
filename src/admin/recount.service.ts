import { transaction, type Db } from '../db/database.ts'
import { counters, listWrongCounts, updateCounts, type Counter, type WrongCount } from './counter.store.ts'

/** Rows that are put right in one transaction. */
const batch = 200

/** Compares every stored count with what can be counted; with `fix`, stores the latter. */
export async function* recount(db: Db, fix: boolean): AsyncGenerator<{ counter: Counter; wrong: WrongCount }> {
  for (const counter of counters) {
    for (;;) {
      const rows = await listWrongCounts(db, counter, batch)
      if (fix && rows.length > 0) {
        const ids = rows.map(({ id }) => id)
        await transaction(db, (tx) => updateCounts(tx, counter, ids))
      }
      for (const wrong of rows) yield { counter, wrong }
      if (!fix || rows.length < batch) break
    }
  }
}
