import { setImmediate } from 'node:timers/promises'
import type { Services } from '../../access/context.ts'
import { contributionsOf } from '../../access/feature.ts'
import type { Counter } from '../../access/contributions/counter.ts'
import { transaction } from '../../db/database.ts'
import { inBatches } from '../../lib/in-batches.ts'
import {
  countMissing,
  findEndOfBatch,
  insertMissing,
  listRecounted,
  updateCounts,
  type Recounted,
} from './counter.store.ts'

/** Rows counted per statement. SQLite counts in this thread, so a large number would delay requests. */
const batch = 100

/** Rows searched per statement for missing counts. */
const lookedThrough = 2000

/** Finds rows that are missing for a count, and inserts them with `fix`. Returns their number. */
async function findMissing({ db }: Services, counter: Counter, fix: boolean): Promise<number> {
  let total = 0
  for (const expected of counter.expected ?? []) {
    let after = 0
    for (;;) {
      const [first, until] = [after, await findEndOfBatch(db, expected.of, after, lookedThrough)]
      if (until === undefined) break
      after = until
      const found = await countMissing(db, counter, expected, first, until)
      total += found
      if (found > 0 && fix) await transaction(db, (tx) => insertMissing(tx, counter, expected, first, until))
      await setImmediate()
    }
  }
  return total
}

/**
 * Compares every stored count with the actual one and corrects it with `fix`. Yields the wrong ones; missing rows,
 * which have no id, come as one number.
 */
export async function* recount(
  services: Services,
  fix: boolean,
): AsyncGenerator<{ counter: Counter; wrong: Omit<Recounted, 'id'> & { readonly id: number | undefined } }> {
  const { db } = services
  for (const counter of contributionsOf(services).counters) {
    const missing = await findMissing(services, counter, fix)
    // Inserted rows are corrected with the others.
    if (missing > 0 && !fix) yield { counter, wrong: { id: undefined, stored: 0, counted: missing } }
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
