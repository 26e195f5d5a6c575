import type { Ctx } from '../../access/context.ts'
import type { PublicKeyRow, UserRow } from '../../db/tables/accounts.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import type { PublicKey } from './key.schemas.ts'
import { presentUser } from '../user.present.ts'
import { loadUsers } from '../user.store.ts'

function presentKey(ctx: Pick<Ctx, 'config' | 'viewer'>, key: PublicKeyRow, owner: UserRow | undefined): PublicKey {
  const { viewer } = ctx
  const showsOwner = owner !== undefined && (viewer?.isAdmin === true || viewer?.id === owner.id)
  return {
    id: key.id,
    key: key.content,
    url: `${ctx.config.server.rootUrl}api/v1/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: formatUnix(key.created_unix),
    // The owner is shown to the owner and to administrators (observed).
    ...(showsOwner ? { user: presentUser(ctx, owner), key_type: 'user' } : {}),
  }
}

/** Presents keys; one query loads their owners. */
export async function presentKeys(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  keys: readonly PublicKeyRow[],
): Promise<PublicKey[]> {
  const owners = await loadUsers(ctx.db, pluck(keys, 'owner_id'))
  return keys.map((key) => presentKey(ctx, key, key.owner_id === null ? undefined : owners.get(key.owner_id)))
}

export async function presentOneKey(ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>, key: PublicKeyRow): Promise<PublicKey> {
  const [presented] = await presentKeys(ctx, [key])
  return presented as PublicKey
}
