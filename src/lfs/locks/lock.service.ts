import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { LfsLockRow } from '../../db/tables/lfs.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { LfsLockId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { pluck } from '../../lib/pluck.ts'
import { must } from '../../lib/verdict.ts'
import { loadUsers } from '../../users/user.store.ts'
import { mayUnlock } from './lock.policy.ts'
import { cleanLockPath, lockKeyOf } from './lock.rules.ts'
import { countLocks, deleteLock, findLock, findLockOfPath, insertLock, listLocks } from './lock.store.ts'

/** Largest number of locks of one repository. */
const maxLocks = 10_000

/** Longest stored reference name, in characters. */
const maxRefLength = 1000

/** Filter for locks. */
export interface LockFilter {
  readonly id?: string | undefined
  readonly path?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

function readId(name: string, text: string | undefined): LfsLockId | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw new BadRequest(`${name} is not a number`, 'lfs_lock_query_invalid')
  return Number(text) as LfsLockId
}

/**
 * Returns one page of locks, oldest first, and the cursor of the next. Locks hold for the whole repository, so a
 * reference filters nothing. Throws `BadRequest` for a malformed id or cursor.
 */
export async function pageOfLocks(
  { db, repo, config }: RepoCtx,
  filter: LockFilter,
): Promise<{ readonly locks: LfsLockRow[]; readonly nextCursor: string | undefined }> {
  const largest = config.server.lfsLocksPagingNum
  const limit = filter.limit !== undefined && filter.limit > 0 ? Math.min(filter.limit, largest) : largest
  const rows = await listLocks(db, repo.id, {
    id: readId('id', filter.id),
    pathKey: filter.path === undefined || filter.path === '' ? undefined : lockKeyOf(cleanLockPath(filter.path) ?? ''),
    after: readId('cursor', filter.cursor),
    limit: limit + 1,
  })
  const locks = rows.slice(0, limit)
  return { locks, nextCursor: rows.length > limit ? String(locks.at(-1)?.id) : undefined }
}

/** A lock with the account that has it. */
export interface OwnedLock {
  readonly lock: LfsLockRow
  readonly owner: UserRow
}

/** Like `pageOfLocks`, with the owners, which one query loads. */
export async function pageOfOwnedLocks(
  ctx: RepoCtx,
  filter: LockFilter,
): Promise<{ readonly locks: readonly OwnedLock[]; readonly nextCursor: string | undefined }> {
  const { locks, nextCursor } = await pageOfLocks(ctx, filter)
  const owners = await loadUsers(ctx.db, pluck(locks, 'owner_id'))
  const owned = locks.flatMap((lock) => {
    const owner = owners.get(lock.owner_id)
    return owner ? [{ lock, owner }] : []
  })
  return { locks: owned, nextCursor }
}

/** Locks a path, existing or not, for the caller; returns the existing lock when somebody has it. */
export async function lockPath(
  ctx: SignedInRepoCtx,
  path: string,
  refName: string | undefined,
): Promise<{ readonly lock: LfsLockRow; readonly isTaken: boolean }> {
  const { db, repo, viewer, clock } = ctx
  const clean = cleanLockPath(path)
  if (clean === undefined) throw new BadRequest('the path cannot be locked', 'lfs_lock_path_invalid')
  return transaction(db, async (tx) => {
    const pathKey = lockKeyOf(clean)
    for (;;) {
      const known = await findLockOfPath(tx, repo.id, pathKey)
      if (known) return { lock: known, isTaken: true }
      if ((await countLocks(tx, repo.id)) >= maxLocks) {
        throw new Invalid(`a repository has at most ${maxLocks} locks`, 'lfs_locks_too_many')
      }
      const lock = await insertLock(tx, {
        repo_id: repo.id,
        owner_id: viewer.id,
        path: clean,
        path_key: pathKey,
        ref_name: (refName ?? '').slice(0, maxRefLength).toWellFormed().replaceAll('\0', ''),
        created_unix: nowUnix(clock),
      })
      // Of concurrent callers one gets the lock; the others see it.
      if (lock) return { lock, isTaken: false }
    }
  })
}

/** Deletes a lock: the owner's, or with force any. Throws `NotFound`. */
export async function unlock(ctx: SignedInRepoCtx, id: number, isForced: boolean): Promise<LfsLockRow> {
  return transaction(ctx.db, async (tx) => {
    const lock = await findLock(tx, ctx.repo.id, id as LfsLockId)
    if (lock) must(mayUnlock(ctx.viewer, lock, isForced))
    if (!lock || !(await deleteLock(tx, lock.id))) throw new NotFound('the lock does not exist', 'lfs_lock_not_found')
    return lock
  })
}
