import type { Ctx } from '../../access/context.ts'
import type { GpgKeyRow } from '../../db/tables/accounts.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix, zeroTime } from '../../lib/time.ts'
import type { GPGKey } from './gpg-key.schemas.ts'
import { listSubkeys } from './gpg-key.store.ts'

const presentPart = (row: GpgKeyRow, primaryKeyId: string, subkeys: readonly GPGKey[]): GPGKey => ({
  id: row.id,
  primary_key_id: primaryKeyId,
  key_id: row.key_id,
  public_key: row.public_packet,
  emails: (JSON.parse(row.emails) as string[]).map((email) => ({ email, verified: true })),
  subkeys: [...subkeys],
  can_sign: row.can_sign,
  can_encrypt_comms: row.can_encrypt_comms,
  can_encrypt_storage: row.can_encrypt_storage,
  can_certify: row.can_certify,
  verified: row.is_verified,
  created_at: formatUnix(row.created_unix),
  expires_at: row.expires_unix === 0 ? zeroTime : formatUnix(row.expires_unix),
})

/** Presents keys with their subkeys, which one query loads. */
export async function presentGpgKeys({ db }: Pick<Ctx, 'db'>, rows: readonly GpgKeyRow[]): Promise<GPGKey[]> {
  const subkeys = Map.groupBy(await listSubkeys(db, pluck(rows, 'id')), (subkey) => subkey.primary_id)
  return rows.map((row) =>
    presentPart(
      row,
      '',
      (subkeys.get(row.id) ?? []).map((subkey) => presentPart(subkey, row.key_id, [])),
    ),
  )
}

export async function presentGpgKey(ctx: Pick<Ctx, 'db'>, row: GpgKeyRow): Promise<GPGKey> {
  const [key] = await presentGpgKeys(ctx, [row])
  return key as GPGKey
}
