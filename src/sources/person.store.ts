import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SourceId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Returns the account of a name at a source. */
export const findAccountOfSource = (db: Db, sourceId: SourceId, loginName: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('login_source_id', '=', sourceId)
    .where('login_source_id', '>', sql.lit(0))
    .where('login_name', '=', loginName)
    .where('kind', '=', 'individual')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Returns the accounts of a source after an id, in order of id. */
export const listAccountsOfSource = (db: Db, sourceId: SourceId, afterId: number, limit: number): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('login_source_id', '=', sourceId)
    .where('login_source_id', '>', sql.lit(0))
    .where('kind', '=', 'individual')
    .where('id', '>', afterId as UserId)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Records a sign-in; returns false when one was recorded since `beforeUnix`. */
export const noteLogin = (tx: Tx, id: UserId, unix: Unix, beforeUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('user')
      .set({ last_login_unix: unix })
      .where('id', '=', id)
      .where('last_login_unix', '<=', beforeUnix),
  )
