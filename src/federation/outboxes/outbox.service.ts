import type { Ctx } from '../../access/context.ts'
import { getFeed } from '../../activity/feed.service.ts'
import { listActs } from '../../activity/feed.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { ActRow } from '../../db/tables/activity.ts'
import { NotFound } from '../../lib/errors.ts'
import type { ActId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { countMembers, findActOf, listMembers, type Member } from './told.store.ts'

/** Things on one page of a collection. */
export const collectionPageSize = 50

/** One page of what somebody did, as far as everybody may know of it, newest first. */
export const getOutbox = (
  { db }: Ctx,
  user: UserRow,
  page: Page,
): Promise<{ readonly acts: ActRow[]; readonly total: number }> =>
  getFeed({ db, viewer: undefined }, { of: 'account', id: user.id, ownActsOnly: true }, undefined, page)

/** An act of somebody that everybody may know of; else `NotFound`. */
export async function getPublicAct({ db }: Ctx, user: UserRow, id: number): Promise<ActRow> {
  const act = await findActOf(db, user.id, id as ActId)
  if (act) {
    const during = { from: act.created_unix, before: act.created_unix + 1 }
    const source = { of: 'account', id: user.id, ownActsOnly: true } as const
    // Whether it may be known is a matter of the feed: it is looked for among those of its second.
    const shown = await listActs(db, undefined, { source, during }, 1000)
    const found = shown.find((row) => row.id === act.id)
    if (found) return found
  }
  throw new NotFound('there is no such activity', 'activity_not_found')
}

/** One page of who follows somebody, or whom somebody follows: public accounts alone. */
export async function getMembers(
  { db }: Ctx,
  side: 'followers' | 'following',
  user: UserRow,
  page: Page,
): Promise<{ readonly members: Member[]; readonly total: number }> {
  const [members, total] = await Promise.all([listMembers(db, side, user.id, page), countMembers(db, side, user.id)])
  return { members, total }
}
