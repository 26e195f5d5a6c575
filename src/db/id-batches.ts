import { setImmediate } from 'node:timers/promises'
import type { Db } from './database.ts'
import type { IssueId, UserId } from '../lib/ids.ts'

interface Ids {
  issue: IssueId
  user: UserId
}

/** Rows after one up to another, by id. */
export interface IdBatch<Id> {
  readonly after: Id
  readonly last: Id
}

/**
 * All ids of a table in batches, in their order. Between two of them other work goes on: SQLite does its in this thread, and
 * requests should not wait for long.
 * @param size at most so many rows
 */
export async function* idBatches<Table extends keyof Ids>(
  db: Db,
  table: Table,
  size: number,
): AsyncGenerator<IdBatch<Ids[Table]>, void> {
  for (let after = 0 as Ids[Table]; ;) {
    // oxlint-disable-next-line no-await-in-loop -- each begins where the one before ended
    const last = await lastAfter(db, table, after, size)
    if (last === null) return
    yield { after, last: last as Ids[Table] }
    after = last as Ids[Table]
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setImmediate()
  }
}

/** The last of so many rows after one; null: there are none. */
async function lastAfter(db: Db, table: keyof Ids, after: number, size: number): Promise<number | null> {
  const batch = (db.selectFrom(table) as ReturnType<typeof db.selectFrom<'user'>>)
    .select('id')
    .where('id', '>', after as UserId)
    .orderBy('id')
    .limit(size)
  const { last } = await db
    .selectFrom(batch.as('batch'))
    .select((each) => each.fn.max<number | null>('batch.id').as('last'))
    .executeTakeFirstOrThrow()
  return last
}
