import type { Ctx } from '../../access/context.ts'
import { getFeed } from '../../activity/feed.service.ts'
import { listActs } from '../../activity/feed.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { ActRow } from '../../db/tables/activity.ts'
import { NotFound } from '../../lib/errors.ts'
import type { ActId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { countMembers, findActOf, listMembers, type Member } from './announced-act.store.ts'

/** Items on one page of a collection. */
export const collectionPageSize = 50

/** Returns one page of the public acts of an account, newest first. */
export const getOutbox = (
  { db }: Ctx,
  user: UserRow,
  page: Page,
): Promise<{ readonly acts: ActRow[]; readonly total: number }> =>
  getFeed({ db, viewer: undefined }, { of: 'account', id: user.id, ownActsOnly: true }, undefined, page)

/** Returns a public act of an account. Throws `NotFound` for any other. */
export async function getPublicAct({ db }: Ctx, user: UserRow, id: number): Promise<ActRow> {
  const act = await findActOf(db, user.id, id as ActId)
  if (act) {
    const during = { from: act.created_unix, before: act.created_unix + 1 }
    const source = { of: 'account', id: user.id, ownActsOnly: true } as const
    // The feed decides whether an act is public: look for it among the acts of its second.
    const shown = await listActs(db, undefined, { source, during }, 1000)
    const found = shown.find((row) => row.id === act.id)
    if (found) return found
  }
  throw new NotFound('the account has no public activity with this id', 'activity_not_found')
}

/** Returns one page of the public followers of an account, or of the public accounts that it follows. */
export async function getMembers(
  { db }: Ctx,
  side: 'followers' | 'following',
  user: UserRow,
  page: Page,
): Promise<{ readonly members: Member[]; readonly total: number }> {
  const [members, total] = await rowsAndTotal(
    page,
    listMembers(db, side, user.id, page),
    countMembers(db, side, user.id),
  )
  return { members, total }
}
