import type { Ctx } from '../../access/context.ts'
import type { LfsLockRow } from '../../db/tables/lfs.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { LfsLock } from './lock.schemas.ts'

export async function presentLocks({ db }: Ctx, rows: readonly LfsLockRow[]): Promise<LfsLock[]> {
  const owners = await loadUsers(db, pluck(rows, 'owner_id'))
  return rows.map((row) => ({
    id: String(row.id),
    path: row.path,
    locked_at: formatUnix(row.created_unix),
    owner: { name: owners.get(row.owner_id)?.name ?? '' },
  }))
}

export async function presentLock(ctx: Ctx, row: LfsLockRow): Promise<LfsLock> {
  const [lock] = await presentLocks(ctx, [row])
  return lock as LfsLock
}
