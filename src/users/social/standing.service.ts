import type { SignedInCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { isBlocked } from './block.store.ts'
import { isFollowing } from './follow.store.ts'

/** What the viewer has decided about an account. */
export interface Standing {
  readonly isSelf: boolean
  readonly isFollowed: boolean
  readonly isBlocked: boolean
}

/** Returns whether the viewer follows or blocks an account. */
export async function standingTo({ db, viewer }: SignedInCtx, user: UserRow): Promise<Standing> {
  const [follows, blocks] = await Promise.all([isFollowing(db, viewer.id, user.id), isBlocked(db, viewer.id, user.id)])
  return { isSelf: viewer.id === user.id, isFollowed: follows, isBlocked: blocks }
}
