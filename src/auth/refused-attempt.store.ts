import type { Db, Tx } from '../db/database.ts'
import type { RefusedAttemptRow, NewRefusedAttemptRow } from '../db/tables/sign-in.ts'

export const insertRefusedAttempt = (tx: Tx, values: NewRefusedAttemptRow) =>
  tx.insertInto('refused_attempt').values(values).execute()

/** Returns the newest attempts after a moment that other processes recorded. */
export const listRefusedAttempts = (
  db: Db,
  { kind, process, afterMs, limit }: Pick<RefusedAttemptRow, 'kind' | 'process'> & { afterMs: number; limit: number },
): Promise<RefusedAttemptRow[]> =>
  db
    .selectFrom('refused_attempt')
    .selectAll()
    .where('kind', '=', kind)
    .where('at_ms', '>', afterMs)
    .where('process', '!=', process)
    .orderBy('at_ms', (order) => order.desc())
    .limit(limit)
    .execute()

export const deleteRefusedAttemptsBefore = (tx: Tx, beforeMs: number) =>
  tx.deleteFrom('refused_attempt').where('at_ms', '<', beforeMs).execute()
