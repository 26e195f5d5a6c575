import type { Selectable } from 'kysely'
import type { UserBlockTable } from '../../db/tables/accounts.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

export type Block = Selectable<UserBlockTable>

/** Returns whether the first account blocks the second. */
export const isBlocked = (db: Db | Tx, blockerId: UserId, blockedId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('user_block').where('blocker_id', '=', blockerId).where('blocked_id', '=', blockedId))

/** Returns whether either account blocks the other. */
export const isBlockedEitherWay = (db: Db | Tx, one: UserId, other: UserId): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('user_block')
      .where((where) =>
        where.or([
          where.and([where('blocker_id', '=', one), where('blocked_id', '=', other)]),
          where.and([where('blocker_id', '=', other), where('blocked_id', '=', one)]),
        ]),
      ),
  )

/** Inserts a block; returns false when it exists. */
export const insertBlock = async (tx: Tx, blockerId: UserId, blockedId: UserId, createdUnix: Unix): Promise<boolean> =>
  (
    await tx
      .insertInto('user_block')
      .values({ blocker_id: blockerId, blocked_id: blockedId, created_unix: createdUnix })
      .onConflict((conflict) => conflict.columns(['blocker_id', 'blocked_id']).doNothing())
      .returning('blocked_id')
      .execute()
  ).length > 0

/** Deletes a block; returns false when it does not exist. */
export const deleteBlock = (tx: Tx, blockerId: UserId, blockedId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('user_block').where('blocker_id', '=', blockerId).where('blocked_id', '=', blockedId))

export const listBlocks = (db: Db, blockerId: UserId, page: Page): Promise<Block[]> =>
  db
    .selectFrom('user_block')
    .selectAll()
    .where('blocker_id', '=', blockerId)
    .orderBy('created_unix')
    .orderBy('blocked_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countBlocks = (db: Db, blockerId: UserId): Promise<number> =>
  countRows(db.selectFrom('user_block').where('blocker_id', '=', blockerId))
