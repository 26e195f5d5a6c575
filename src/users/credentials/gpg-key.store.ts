import type { Db, Tx } from '../../db/database.ts'
import { countRows, hasRow } from '../../db/rows.ts'
import type { GpgKeyRow, NewGpgKeyRow, UserRow } from '../../db/tables/accounts.ts'
import type { GpgKeyId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

const primaryKeys = (db: Db | Tx, ownerId: UserId) =>
  db.selectFrom('gpg_key').where('owner_id', '=', ownerId).where('primary_id', 'is', null)

/** Returns the keys of an account in order of creation, without subkeys. */
export const listGpgKeys = (db: Db, ownerId: UserId, page: Page): Promise<GpgKeyRow[]> =>
  primaryKeys(db, ownerId).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

export const countGpgKeys = (db: Db, ownerId: UserId): Promise<number> => countRows(primaryKeys(db, ownerId))

export const findGpgKey = (db: Db | Tx, ownerId: UserId, id: GpgKeyId): Promise<GpgKeyRow | undefined> =>
  primaryKeys(db, ownerId).selectAll().where('id', '=', id).executeTakeFirst()

/** Returns a key of the account by its id in upper case. */
export const findGpgKeyByKeyId = (db: Db, ownerId: UserId, keyId: string): Promise<GpgKeyRow | undefined> =>
  primaryKeys(db, ownerId).selectAll().where('key_id', '=', keyId).executeTakeFirst()

/** Returns whether any account has the key, as a key or a subkey. */
export const hasGpgFingerprint = (db: Db, fingerprint: string): Promise<boolean> =>
  hasRow(db.selectFrom('gpg_key').where('fingerprint', '=', fingerprint))

export const listSubkeys = (db: Db, primaryIds: readonly GpgKeyId[]): Promise<GpgKeyRow[]> =>
  primaryIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('gpg_key').selectAll().where('primary_id', 'in', primaryIds).orderBy('id').execute()

export const insertGpgKey = (tx: Tx, values: NewGpgKeyRow): Promise<GpgKeyRow> =>
  tx.insertInto('gpg_key').values(values).returningAll().executeTakeFirstOrThrow()

export const insertSubkeys = async (tx: Tx, values: readonly NewGpgKeyRow[]): Promise<void> => {
  if (values.length > 0) {
    await tx
      .insertInto('gpg_key')
      .values([...values])
      .execute()
  }
}

/** Marks a key and its subkeys as verified; returns undefined when it does not exist. */
export async function markGpgKeyVerified(tx: Tx, id: GpgKeyId): Promise<GpgKeyRow | undefined> {
  await tx.updateTable('gpg_key').set({ is_verified: true }).where('primary_id', '=', id).execute()
  return tx.updateTable('gpg_key').set({ is_verified: true }).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Deletes a key; its subkeys follow. */
export const deleteGpgKey = (tx: Tx, ownerId: UserId, id: GpgKeyId) =>
  tx
    .deleteFrom('gpg_key')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .where('primary_id', 'is', null)
    .execute()

/** A key that may have made a signature, with its owner. */
export interface SigningCandidate {
  /** Id of the key or subkey that the signature names. */
  readonly keyId: string
  readonly armored: string
  /** JSON array of the addresses of the key. */
  readonly emails: string
  readonly isVerified: boolean
  readonly owner: Pick<UserRow, 'id' | 'name' | 'lower_name'>
}

/** Returns the keys with these ids; for a subkey, the key that it belongs to. */
export async function listSigningCandidates(db: Db, keyIds: readonly string[]): Promise<SigningCandidate[]> {
  if (keyIds.length === 0) return []
  const rows = await db
    .selectFrom('gpg_key as named')
    .innerJoin('gpg_key as whole', (join) =>
      join.on((on) => on('whole.id', '=', on.fn.coalesce('named.primary_id', 'named.id'))),
    )
    .innerJoin('user', 'user.id', 'whole.owner_id')
    .select(['named.key_id', 'whole.armored', 'whole.emails', 'whole.is_verified'])
    .select(['user.id', 'user.name', 'user.lower_name'])
    .where('named.key_id', 'in', keyIds)
    .orderBy('named.id')
    .execute()
  return rows.map(({ key_id, armored, emails, is_verified, ...owner }) => ({
    keyId: key_id,
    armored,
    emails,
    isVerified: is_verified,
    owner,
  }))
}
