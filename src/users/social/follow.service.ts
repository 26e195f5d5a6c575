import { isEveryoneShown } from '../../access/conditions/account-condition.store.ts'
import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { Forbidden, NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { PeoplePage } from '../people-count.store.ts'
import { isBlockedEitherWay } from './block.store.ts'
import { countFollowPeople, deleteFollow, insertFollow, isFollowing, listFollowPeople } from './follow.store.ts'

/**
 * Returns the followers of an account, or those it follows, that the viewer may see. The account itself sees all
 * (contract, users: visibility).
 */
export async function pageOfFollowPeople(
  { viewer, db }: SignedInCtx,
  side: 'followers' | 'following',
  user: UserRow,
  page: Page,
): Promise<PeoplePage> {
  const onlooker = viewer.id === user.id && !viewer.limit.publicOnly ? 'seesAll' : viewer
  const kept = side === 'followers' ? user.num_followers : user.num_following
  const total = isEveryoneShown(onlooker) ? { total: kept } : await countFollowPeople(db, side, user.id, onlooker)
  return { users: await listFollowPeople(db, side, user.id, onlooker, page), ...total }
}

/** The refusal for an account that is not followed. */
export const notFollowed = () => new NotFound('the account does not follow this account', 'not_following')

/** Throws `NotFound` unless the first account follows the second. */
export async function checkFollowing(ctx: Ctx, follower: UserRow, user: UserRow): Promise<void> {
  if (!(await isFollowing(ctx.db, follower.id, user.id))) throw notFollowed()
}

/** Follows an account; following oneself does nothing. Throws `Forbidden` when either blocks the other. */
export async function follow(ctx: SignedInCtx, user: UserRow): Promise<void> {
  const { viewer, db, clock } = ctx
  if (viewer.id === user.id) return
  if (await isBlockedEitherWay(db, viewer.id, user.id)) {
    throw new Forbidden('one of the two blocks the other', 'user_blocked')
  }
  await transaction(db, async (tx) => {
    if (!(await insertFollow(tx, viewer.id, user.id, nowUnix(clock)))) return
    await publish(tx, 'user.followed', { userId: user.id, followerId: viewer.id, doerId: viewer.id })
  })
}

export const unfollow = ({ db, viewer }: SignedInCtx, user: UserRow): Promise<void> =>
  transaction(db, (tx) => endFollow(tx, viewer.id, user.id, viewer.id))

/** Ends a follow within a transaction, if any. */
export async function endFollow(tx: Tx, followerId: UserId, userId: UserId, doerId: UserId): Promise<void> {
  if (await deleteFollow(tx, followerId, userId)) await publish(tx, 'user.unfollowed', { userId, followerId, doerId })
}
