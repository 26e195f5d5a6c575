import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { FederatedServerChange, FederatedServerRow } from '../../db/tables/federation.ts'
import type { ServerId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const findServer = (db: Db | Tx, id: ServerId): Promise<FederatedServerRow | undefined> =>
  db.selectFrom('federated_server').selectAll().where('id', '=', id).executeTakeFirst()

export const listServers = (tx: Tx, ids: readonly ServerId[]): Promise<FederatedServerRow[]> =>
  tx.selectFrom('federated_server').selectAll().where('id', 'in', ids).execute()

export const findServerByOrigin = (db: Db | Tx, origin: string): Promise<FederatedServerRow | undefined> =>
  db.selectFrom('federated_server').selectAll().where('origin', '=', origin).executeTakeFirst()

export const findServerByKeyId = (db: Db, keyId: string): Promise<FederatedServerRow | undefined> =>
  db.selectFrom('federated_server').selectAll().where('key_id', '=', keyId).executeTakeFirst()

/** Inserts a server unless it exists. */
export const insertServer = async (tx: Tx, origin: string, createdUnix: Unix): Promise<void> =>
  void (await tx
    .insertInto('federated_server')
    .values({ origin, key_id: null, created_unix: createdUnix })
    .onConflict((conflict) => conflict.column('origin').doNothing())
    .execute())

export const updateServer = async (tx: Tx, id: ServerId, change: FederatedServerChange): Promise<void> =>
  void (await tx.updateTable('federated_server').set(change).where('id', '=', id).execute())

/** Takes the time of the next like for a server: now, or `stepMs` after the previous one. Locks the row of the server. */
export const takeLikeTime = async (tx: Tx, id: ServerId, nowMs: number, stepMs: number): Promise<number> =>
  (
    await tx
      .updateTable('federated_server')
      .set((row) => ({
        latest_sent_ms: row
          .case()
          .when('latest_sent_ms', '<', nowMs - stepMs)
          .then(nowMs)
          .else(row('latest_sent_ms', '+', stepMs))
          .end(),
      }))
      .where('id', '=', id)
      .returning('latest_sent_ms')
      .executeTakeFirstOrThrow()
  ).latest_sent_ms

/** Stores the time of a server's latest like. Returns false when a later like came before. */
export const advanceLatestLike = (tx: Tx, id: ServerId, startMs: number): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('federated_server')
      .set({ latest_like_ms: startMs })
      .where('id', '=', id)
      .where('latest_like_ms', '<', startMs),
  )
