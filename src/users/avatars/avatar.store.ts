import type { Tx } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** The row that holds the key of a picture. */
export type PictureOf =
  | { readonly kind: 'individual' | 'organization'; readonly id: UserId }
  | { readonly kind: 'repo'; readonly id: RepoId }

/** Number of attempts against concurrent changes of the same picture. */
const maxAttempts = 20

/**
 * Replaces the key of a picture. Concurrent calls each return the key before theirs, so every replaced picture is
 * returned once.
 * @returns the former key; undefined when the row does not exist
 */
export async function swapAvatarKey(tx: Tx, { kind, id }: PictureOf, key: string): Promise<string | undefined> {
  // Both tables have these columns.
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
