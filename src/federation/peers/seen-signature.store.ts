import type { Tx } from '../../db/database.ts'
import type { Unix } from '../../lib/time.ts'

/** Most old rows that one request clears away. */
const maxCleared = 20

/**
 * Remembers a signature until a time, and clears some away whose time is over.
 * @returns false when it was seen before
 */
export async function insertSeenSignature(tx: Tx, digest: string, expires: Unix, now: Unix): Promise<boolean> {
  await tx
    .deleteFrom('seen_signature')
    .where('digest', 'in', (from) =>
      from
        .selectFrom('seen_signature')
        .select('digest')
        .where('expires_unix', '<', now)
        .orderBy('expires_unix')
        .limit(maxCleared),
    )
    .execute()
  const added = await tx
    .insertInto('seen_signature')
    .values({ digest, expires_unix: expires })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('digest')
    .execute()
  return added.length > 0
}
