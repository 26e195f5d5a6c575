import { setImmediate } from 'node:timers/promises'
import type { Db } from './database.ts'
import type { IssueId, UserId } from '../lib/ids.ts'

interface Ids {
  issue: IssueId
  user: UserId
}

/** A range of ids, without `after` and with `last`. */
export interface IdBatch<Id> {
  readonly after: Id
  readonly last: Id
}

/**
 * Yields the ids of a table in ascending batches. It yields the thread between them, since SQLite blocks it.
 * @param size maximum number of rows of a batch
 */
export async function* idBatches<Table extends keyof Ids>(
  db: Db,
  table: Table,
  size: number,
): AsyncGenerator<IdBatch<Ids[Table]>, void> {
  for (let after = 0 as Ids[Table]; ;) {
    // oxlint-disable-next-line no-await-in-loop -- each batch begins after the previous one
    const last = await lastAfter(db, table, after, size)
    if (last === null) return
    yield { after, last: last as Ids[Table] }
    after = last as Ids[Table]
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setImmediate()
  }
}

/** Returns the last id of a batch; null at the end. */
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
