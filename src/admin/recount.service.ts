import { setImmediate } from 'node:timers/promises'
import type { Services } from '../access/context.ts'
import type { Counter } from '../access/counter.ts'
import { transaction } from '../db/database.ts'
import { inBatches } from '../lib/in-batches.ts'
import { listRecounted, updateCounts, type Recounted } from './counter.store.ts'

/** Rows that are counted for at once; SQLite counts in this thread, and requests should not wait for long. */
const batch = 100

/** Compares every stored count with what can be counted; with `fix`, stores the latter. Gives those that were wrong. */
export async function* recount(
  { db, parts }: Services,
  fix: boolean,
): AsyncGenerator<{ counter: Counter; wrong: Recounted }> {
  for (const counter of parts.counters) {
    for await (const rows of inBatches((after?: number) => listRecounted(db, counter, after ?? 0, batch))) {
      const wrong = rows.filter(({ stored, counted }) => stored !== counted)
      if (fix && wrong.length > 0) {
        const ids = wrong.map(({ id }) => id)
        await transaction(db, (tx) => updateCounts(tx, counter, ids))
      }
      for (const each of wrong) yield { counter, wrong: each }
      await setImmediate()
    }
  }
}
