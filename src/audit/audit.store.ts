import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { commitPosition, hasRowsWithoutPosition, takeAdvisoryLock } from '../db/portable.ts'
import { countChanges } from '../db/rows.ts'
import type { AuditEntryRow } from '../db/tables/audit.ts'
import type { AuditEntryId } from '../lib/ids.ts'

/** Subjects of acts. */
export const auditedKinds = [
  'account',
  'organization',
  'team',
  'repository',
  'token',
  'ssh key',
  'openpgp key',
  'deploy key',
  'session',
  'second factor',
  'application',
  'sign-in source',
  'webhook',
  'secret',
  'branch protection',
  'tag protection',
  'quota rule',
  'quota group',
  'runner',
  'workflow run',
  'mail address',
  'variable',
  'git hook',
  'push mirror',
  'signing key',
  'task',
  'instance',
] as const
export type AuditedKind = (typeof auditedKinds)[number]

type NewEntry = Omit<AuditEntryRow, 'id' | 'actor_name' | 'object_kind'> & { readonly object_kind: AuditedKind }

/** Names are current; for deleted subjects the caller supplies them. */
export async function insertEntry(tx: Tx, entry: NewEntry): Promise<AuditEntryId> {
  const nameOfAccount = (id: number | null) =>
    sql<string>`coalesce((select name from "user" where "user".id = ${id}), '')`
  const nameOfObject = () => {
    if (entry.object_name !== '') return entry.object_name
    if (entry.object_kind === 'account' || entry.object_kind === 'organization') return nameOfAccount(entry.object_id)
    if (entry.object_kind !== 'repository') return ''
    return sql<string>`coalesce((select "user".name || '/' || repo.name from repo
      join "user" on "user".id = repo.owner_id where repo.id = ${entry.object_id}), '')`
  }
  const { id } = await tx
    .insertInto('audit_entry')
    .values({ ...entry, actor_name: nameOfAccount(entry.actor_id), object_name: nameOfObject() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Filter of audit entries. */
export interface AuditFilter {
  readonly action?: string | undefined
  readonly outcome?: 'done' | 'refused' | undefined
  readonly actor?: string | undefined
  readonly address?: string | undefined
  readonly objectKind?: string | undefined
  readonly objectId?: number | undefined
  readonly sinceMs?: number | undefined
  readonly beforeMs?: number | undefined
}

function filtered(db: Db, filter: AuditFilter) {
  let query = db.selectFrom('audit_entry')
  const { action, outcome, actor, address, objectKind, objectId, sinceMs, beforeMs } = filter
  // `token.*` matches all acts on tokens.
  if (action?.endsWith('.*')) {
    const first = action.slice(0, -1)
    query = query.where('action', '>=', first).where('action', '<', `${first}~`)
  } else if (action !== undefined) query = query.where('action', '=', action)
  if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  if (actor !== undefined) query = query.where('actor_name', '=', actor)
  if (address !== undefined) query = query.where('address', '=', address)
  if (objectKind !== undefined) query = query.where('object_kind', '=', objectKind)
  if (objectId !== undefined) query = query.where('object_id', '=', objectId)
  if (sinceMs !== undefined) query = query.where('at_ms', '>=', sinceMs)
  if (beforeMs !== undefined) query = query.where('at_ms', '<', beforeMs)
  return query
}

/** Returns entries, newest first, optionally older than one of them. */
export const listEntries = (
  db: Db,
  filter: AuditFilter,
  { before, limit }: { readonly before?: AuditEntryId | undefined; readonly limit: number },
): Promise<AuditEntryRow[]> =>
  filtered(db, filter)
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before as AuditEntryId))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Position of an entry in commit order, at least its id. 0 is before the first entry. */
export type AuditPosition = number & { readonly __position: true }

const positionOf = (db: Db | Tx) => commitPosition<AuditPosition>(db, 'audit_entry')

/** The key of the advisory lock for assigning positions. */
const placingLock = 1_774_613

/** Maximum number of positions assigned in one transaction. */
const placedAtOnce = 1000

/**
 * Assigns positions to committed entries (PostgreSQL), one transaction at a time, so that a later commit has a larger
 * position than every readable one.
 * @returns false when there may be more
 */
export async function positionSomeEntries(tx: Tx): Promise<boolean> {
  await takeAdvisoryLock(tx, placingLock)
  const { numAffectedRows = 0n } = await sql`
    with fresh as materialized (
      select id, row_number() over (order by id) as number
      from (select id from audit_entry where position is null order by id limit ${sql.lit(placedAtOnce)}) as unplaced),
    placed as materialized (
      select id, number + greatest(max(id - number) over (order by number),
        (select coalesce(max(position), 0) from audit_entry)) as position from fresh)
    update audit_entry set position = placed.position from placed where audit_entry.id = placed.id`.execute(tx)
  return numAffectedRows < placedAtOnce
}

/** Returns the position of the newest entry, and whether entries without a position exist. */
export async function findLastEntry(db: Db): Promise<{ position: AuditPosition; hasUnplaced: boolean }> {
  const { rows } = await sql<{ position: AuditPosition | null; unplaced: boolean | number }>`
    select (select max(${positionOf(db)}) from audit_entry) as position, ${hasRowsWithoutPosition(db, 'audit_entry')} as unplaced`.execute(
    db,
  )
  return { position: rows[0]?.position ?? (0 as AuditPosition), hasUnplaced: Boolean(rows[0]?.unplaced) }
}

/** Returns entries after a position, in commit order. */
export const listEntriesAfter = (
  db: Db,
  after: AuditPosition,
  limit: number,
): Promise<(AuditEntryRow & { position: AuditPosition })[]> =>
  db
    .selectFrom('audit_entry')
    .selectAll()
    .select(positionOf(db).as('position'))
    .where(positionOf(db), '>', after)
    .orderBy(positionOf(db))
    .limit(limit)
    .execute()

/** Entries of the last day before the newest one cannot be deleted; a trigger enforces this too. */
const keptMs = 86_400_000

/** Deletes old entries, oldest first, and returns their number. */
export async function deleteOldEntries(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const { newestMs } = await tx
    .selectFrom('audit_entry')
    .select((select) => select.fn.max('at_ms').as('newestMs'))
    .executeTakeFirstOrThrow()
  return countChanges(
    tx.deleteFrom('audit_entry').where('id', 'in', (select) =>
      select
        .selectFrom('audit_entry')
        .select('id')
        .where('at_ms', '<', Math.min(beforeMs, newestMs - keptMs))
        .orderBy('at_ms')
        .limit(limit),
    ),
  )
}
