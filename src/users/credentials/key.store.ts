import type { Db, Tx } from '../../db/database.ts'
import { countRows, hasRow } from '../../db/rows.ts'
import type { PublicKeyRow } from '../../db/tables/accounts.ts'
import type { KeyId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** A key of an account. The same table holds deploy keys, without an owner. */
export type UserKeyRow = PublicKeyRow & { readonly owner_id: UserId }

const keys = (db: Db, ownerId: UserId | undefined, fingerprint: string | undefined) => {
  let query = db.selectFrom('public_key').where('owner_id', 'is not', null)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  if (fingerprint) query = query.where('fingerprint', '=', fingerprint)
  return query
}

/** Returns keys in order of creation, of one account or of all. */
export const listKeys = (
  db: Db,
  ownerId: UserId | undefined,
  fingerprint: string | undefined,
  page: Page,
): Promise<PublicKeyRow[]> =>
  keys(db, ownerId, fingerprint).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

export const countKeys = (db: Db, ownerId: UserId | undefined, fingerprint: string | undefined): Promise<number> =>
  countRows(keys(db, ownerId, fingerprint))

/** Returns a key of an account by id. */
export const findKey = (db: Db | Tx, id: KeyId): Promise<PublicKeyRow | undefined> =>
  db.selectFrom('public_key').selectAll().where('id', '=', id).where('owner_id', 'is not', null).executeTakeFirst()

/** Returns a key by fingerprint, deploy keys included. */
export const findKeyByFingerprint = (db: Db | Tx, fingerprint: string): Promise<PublicKeyRow | undefined> =>
  db.selectFrom('public_key').selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()

export const hasKeyTitle = (db: Db | Tx, ownerId: UserId, title: string): Promise<boolean> =>
  hasRow(db.selectFrom('public_key').where('owner_id', '=', ownerId).where('title', '=', title))

export const insertKey = (
  tx: Tx,
  row: {
    readonly owner_id: UserId | null
    readonly title: string
    readonly fingerprint: string
    readonly content: string
    readonly is_read_only: boolean
    readonly created_unix: Unix
  },
): Promise<PublicKeyRow> => tx.insertInto('public_key').values(row).returningAll().executeTakeFirstOrThrow()

export const deleteKey = (tx: Tx, id: KeyId) => tx.deleteFrom('public_key').where('id', '=', id).execute()
