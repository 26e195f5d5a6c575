import type { Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** Where the key of a picture stands. */
export type PictureOf =
  | { readonly kind: 'individual' | 'organization'; readonly id: UserId }
  | { readonly kind: 'repo'; readonly id: RepoId }

/** How often others may change the same picture in between before this gives up. */
const maxAttempts = 20

/**
 * Puts another key in the place of a picture's. Of several at the same time each sees the key of the one before, so that
 * every replaced picture is told to exactly one of them.
 * @returns the key that was there, or undefined when the row is gone
 */
export async function swapAvatarKey(tx: Tx, { kind, id }: PictureOf, key: string): Promise<string | undefined> {
  // The tables are alike in what is used of them here.
  const [name, rowId] = [(kind === 'repo' ? 'repo' : 'user') as 'user', id as UserId]
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await tx.selectFrom(name).select('avatar_key').where('id', '=', rowId).executeTakeFirst()
    if (!row) return undefined
    const { numUpdatedRows } = await tx
      .updateTable(name)
      .set({ avatar_key: key })
      .where('id', '=', rowId)
      .where('avatar_key', '=', row.avatar_key)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return row.avatar_key
  }
  throw new Error(`the picture of ${name} ${id} changes all the time`)
}
