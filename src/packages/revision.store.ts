import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** The number of changes in a registry of an owner, and the time of the last one. */
export interface Revision {
  readonly revision: number
  readonly changedUnix: Unix
}

/** Counts a change. It is the last statement of its transaction, because other publishers wait for the row. */
export const bumpRevision = (tx: Tx, ownerId: UserId, type: string, changedUnix: Unix) =>
  tx
    .insertInto('package_revision')
    .values({ owner_id: ownerId, type, revision: 1, changed_unix: changedUnix })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'type'])
        .doUpdateSet({ revision: sql`package_revision.revision + 1`, changed_unix: changedUnix }),
    )
    .execute()

export async function findRevision(db: Db, ownerId: UserId, type: string): Promise<Revision> {
  const row = await db
    .selectFrom('package_revision')
    .select(['revision', 'changed_unix'])
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .executeTakeFirst()
  return row ? { revision: row.revision, changedUnix: row.changed_unix } : { revision: 0, changedUnix: 0 }
}

/** Returns the combined revision of all registries of an owner. */
export async function findRevisionOfAll(db: Db, ownerId: UserId): Promise<Revision> {
  const row = await db
    .selectFrom('package_revision')
    .select((select) => [
      select.fn.sum<number | string | null>('revision').as('revision'),
      select.fn.max<number | string | null>('changed_unix').as('changed'),
    ])
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  return { revision: Number(row?.revision ?? 0), changedUnix: Number(row?.changed ?? 0) }
}
