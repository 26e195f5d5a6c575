import type { Tx } from '../../db/database.ts'
import type { Unix } from '../../lib/time.ts'

/** Most expired rows that one request deletes. */
const maxDeleted = 20

/** Stores a signature until it expires, and deletes some expired ones. Returns false when it was stored before. */
export async function insertSeenSignature(tx: Tx, digest: string, expires: Unix, now: Unix): Promise<boolean> {
  await tx
    .deleteFrom('seen_signature')
    .where('digest', 'in', (from) =>
      from
        .selectFrom('seen_signature')
        .select('digest')
        .where('expires_unix', '<', now)
        .orderBy('expires_unix')
        .limit(maxDeleted),
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
