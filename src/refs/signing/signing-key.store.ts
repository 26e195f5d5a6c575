import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'

/** An SSH key and its account. */
export interface SshSigningKey {
  readonly fingerprint: string
  readonly owner: Pick<UserRow, 'id' | 'name' | 'lower_name'>
}

/** SSH keys of accounts by fingerprint. Deploy keys are left out: they sign nothing. */
export async function listSshSigningKeys(db: Db, fingerprints: readonly string[]): Promise<SshSigningKey[]> {
  if (fingerprints.length === 0) return []
  const rows = await db
    .selectFrom('public_key')
    .innerJoin('user', 'user.id', 'public_key.owner_id')
    .select(['public_key.fingerprint', 'user.id', 'user.name', 'user.lower_name'])
    .where('public_key.fingerprint', 'in', fingerprints)
    .execute()
  return rows.map(({ fingerprint, ...owner }) => ({ fingerprint, owner }))
}

/** Confirmed addresses by account, in lower case. */
export async function loadConfirmedEmails(
  db: Db,
  userIds: readonly UserId[],
): Promise<ReadonlyMap<UserId, ReadonlySet<string>>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('email')
    .select(['user_id', 'lower_email'])
    .where('user_id', 'in', userIds)
    .where('is_activated', '=', true)
    .execute()
  return new Map(
    [...Map.groupBy(rows, (row) => row.user_id)].map(([id, all]) => [id, new Set(all.map((row) => row.lower_email))]),
  )
}

/** Whether an account has a key that can verify signatures. */
export async function hasSigningKey(db: Db, userId: UserId): Promise<boolean> {
  const { rows } = await sql<{ has: boolean | number }>`select
    exists (select 1 from gpg_key where owner_id = ${userId})
    or exists (select 1 from public_key where owner_id = ${userId}) as has`.execute(db)
  return Boolean(rows[0]?.has)
}
