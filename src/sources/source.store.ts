import type { Db, Tx } from '../db/database.ts'
import { countRows, hasRow } from '../db/rows.ts'
import type { NewSignInSourceRow, SignInSourceChange, SignInSourceRow } from '../db/tables/sign-in.ts'
import type { SourceId } from '../lib/ids.ts'

export const findSource = (db: Db | Tx, id: SourceId): Promise<SignInSourceRow | undefined> =>
  db.selectFrom('sign_in_source').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns an active source by name. */
export const findActiveSource = (db: Db, name: string): Promise<SignInSourceRow | undefined> =>
  db.selectFrom('sign_in_source').selectAll().where('name', '=', name).where('is_active', '=', true).executeTakeFirst()

/** Returns all sources in order of creation. */
export const listSources = (db: Db): Promise<SignInSourceRow[]> =>
  db.selectFrom('sign_in_source').selectAll().orderBy('id').execute()

export const listActiveSources = (db: Db, kind: SignInSourceRow['kind']): Promise<SignInSourceRow[]> =>
  db
    .selectFrom('sign_in_source')
    .selectAll()
    .where('kind', '=', kind)
    .where('is_active', '=', true)
    .orderBy('id')
    .execute()

export const insertSource = (tx: Tx, values: NewSignInSourceRow): Promise<SignInSourceRow> =>
  tx.insertInto('sign_in_source').values(values).returningAll().executeTakeFirstOrThrow()

export const updateSource = (tx: Tx, id: SourceId, change: SignInSourceChange): Promise<SignInSourceRow | undefined> =>
  tx.updateTable('sign_in_source').set(change).where('id', '=', id).returningAll().executeTakeFirst()

export const deleteSource = (tx: Tx, id: SourceId) =>
  tx.deleteFrom('sign_in_source').where('id', '=', id).executeTakeFirst()

/** Returns the number of sources and blocks concurrent inserts until the transaction ends. */
export const countSources = (tx: Tx): Promise<number> => countRows(tx.selectFrom('sign_in_source'))

/** Returns whether accounts belong to a source. */
export const hasAccounts = (tx: Tx, id: SourceId): Promise<boolean> =>
  hasRow(tx.selectFrom('user').where('login_source_id', '=', id))
