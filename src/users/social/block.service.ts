import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { pluck } from '../../lib/pluck.ts'
import { publish } from '../../events/hub.ts'
import { Invalid } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { loadUsers } from '../user.store.ts'
import { countBlocks, deleteBlock, insertBlock, listBlocks, type Block } from './block.store.ts'
import { endFollow } from './follow.service.ts'

/**
 * Blocks a person. Both stop following each other; subscribers of the event end stars, watches, collaborations and
 * transfers in the same transaction. Blocking oneself does nothing; an organization is `Invalid`.
 */
export async function block(ctx: SignedInCtx, blocker: UserRow, target: UserRow): Promise<void> {
  if (target.kind !== 'individual') throw new Invalid('an organization cannot be blocked', 'not_a_person')
  if (blocker.id === target.id) return
  await transaction(ctx.db, async (tx) => {
    if (!(await insertBlock(tx, blocker.id, target.id, nowUnix(ctx.clock)))) return
    const doerId = ctx.viewer.id
    await endFollow(tx, blocker.id, target.id, doerId)
    await endFollow(tx, target.id, blocker.id, doerId)
    await publish(tx, 'user.blocked', { blockerId: blocker.id, blockedId: target.id, doerId })
  })
}

/** Ends a block, if any. */
export async function unblock(ctx: SignedInCtx, blocker: UserRow, target: UserRow): Promise<void> {
  if (target.kind !== 'individual') throw new Invalid('an organization cannot be blocked', 'not_a_person')
  await transaction(ctx.db, async (tx) => {
    if (!(await deleteBlock(tx, blocker.id, target.id))) return
    await publish(tx, 'user.unblocked', { blockerId: blocker.id, blockedId: target.id, doerId: ctx.viewer.id })
  })
}

/** Returns one page of the accounts that an account blocks. */
export async function pageOfBlocks(
  ctx: Ctx,
  blocker: UserRow,
  page: Page,
): Promise<{ readonly blocks: Block[]; readonly total: number }> {
  const [blocks, total] = await rowsAndTotal(
    page,
    listBlocks(ctx.db, blocker.id, page),
    countBlocks(ctx.db, blocker.id),
  )
  return { blocks, total }
}

/** Returns one page of the people that an account blocks, with the time of the block. */
export async function pageOfBlockedPeople(
  ctx: Ctx,
  blocker: UserRow,
  page: Page,
): Promise<{
  readonly people: readonly { readonly person: UserRow; readonly blockedUnix: Unix }[]
  readonly total: number
}> {
  const { blocks, total } = await pageOfBlocks(ctx, blocker, page)
  const users = await loadUsers(ctx.db, pluck(blocks, 'blocked_id'))
  const people = blocks.flatMap(({ blocked_id: id, created_unix: blockedUnix }) => {
    const person = users.get(id)
    return person ? [{ person, blockedUnix }] : []
  })
  return { people, total }
}
