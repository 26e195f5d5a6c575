import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import {
  commitPosition,
  hasRowsWithoutPosition,
  jsonInteger,
  takeAdvisoryLock,
  withEmptyMembers,
} from '../db/portable.ts'
import type { EventId, IssueId, RepoId, UserId } from '../lib/ids.ts'

/** Position of an event in commit order; numbers may be missing. 0 is before the first event. */
export type EventPosition = number & { readonly __position: true }

export interface NewEventRow {
  readonly name: string
  readonly version: number
  readonly actorId: number | null
  /** Null selects the owner of the repository. */
  readonly ownerId: number | null
  readonly repoId: number | null
  readonly issueId: number | null
  /** JSON. */
  readonly data: string
  readonly atMs: number
}

export interface EventRow {
  readonly id: EventId
  readonly name: string
  readonly version: number
  readonly actor_id: UserId | null
  readonly owner_id: UserId | null
  readonly repo_id: RepoId | null
  readonly issue_id: IssueId | null
  readonly data: string
  readonly at_ms: number
}

/** Rows of one statement; each has nine values, and a statement of SQLite has at most 32,766. */
const maxRowsPerStatement = 1000

/** Inserts events in their order and returns their ids in the same order. */
export async function insertEvents(tx: Tx, rows: readonly NewEventRow[]): Promise<EventId[]> {
  const ids: EventId[] = []
  for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
    const values = rows.slice(start, start + maxRowsPerStatement).map(
      ({ name, version, actorId, issueId, repoId, ownerId, data, atMs }) => sql`(${name}, ${version},
        cast(${actorId} as bigint), cast(${issueId} as bigint), cast(${repoId} as bigint),
        coalesce(cast(${ownerId} as bigint), (select repo.owner_id from repo where repo.id = cast(${repoId} as bigint))),
        ${data}, ${atMs})`,
    )
    const { rows: inserted } = await sql<{ id: EventId }>`
      insert into event (name, version, actor_id, issue_id, repo_id, owner_id, data, at_ms)
      values ${sql.join(values)} returning id`.execute(tx)
    // Ids ascend in the order of the rows; `returning` promises no order.
    ids.push(...inserted.map((row) => row.id).sort((a, b) => a - b))
  }
  return ids
}

const columns = ['id', 'name', 'version', 'actor_id', 'owner_id', 'repo_id', 'issue_id', 'data', 'at_ms'] as const

export const findEvent = (db: Db, id: EventId): Promise<EventRow | undefined> =>
  db.selectFrom('event').select(columns).where('id', '=', id).executeTakeFirst()

const positionOf = (db: Db | Tx) => commitPosition<EventPosition>(db, 'event')

/** The key of the advisory lock for assigning positions. */
const placingLock = 1_774_612

/** Maximum number of positions assigned in one transaction. */
const placedAtOnce = 1000

/**
 * Assigns positions to committed events (PostgreSQL). One transaction at a time does so and sees the positions of the
 * previous one, so a later commit has a larger position than every readable one.
 * @returns false when there may be more
 */
export async function positionSomeEvents(tx: Tx): Promise<boolean> {
  await takeAdvisoryLock(tx, placingLock)
  const { numAffectedRows = 0n } = await sql`
    with placed as materialized (
      select fresh.id, nextval('event_position') as position
      from (select id from event where position is null order by id limit ${sql.lit(placedAtOnce)}) as fresh)
    update event set position = placed.position from placed where event.id = placed.id`.execute(tx)
  return numAffectedRows < placedAtOnce
}

/** Key of the position up to which events were deleted. */
const clearedName = 'events_cleared_to'

/** Returns the position of the newest event, and whether events without a position exist. */
export async function findEnd(db: Db): Promise<{ position: EventPosition; hasUnplaced: boolean }> {
  // When all events were deleted, it is the position of the last one.
  const cleared = sql`select cast(value as bigint) from instance_value where name = ${clearedName}`
  const { rows } = await sql<{ position: EventPosition | null; unplaced: boolean | number }>`
    select coalesce((select max(${positionOf(db)}) from event), (${cleared})) as position,
      ${hasRowsWithoutPosition(db, 'event')} as unplaced`.execute(db)
  const [end] = rows
  return { position: end?.position ?? (0 as EventPosition), hasUnplaced: Boolean(end?.unplaced) }
}

export interface EventFilter {
  /** Event names. */
  readonly names?: readonly string[] | undefined
  readonly repoId?: RepoId | undefined
  readonly ownerId?: UserId | undefined
}

export interface EventRange {
  readonly after: EventPosition
  readonly upTo: EventPosition
  readonly limit: number
}

/** Returns the events between two positions, in order. */
export function listEvents(
  db: Db,
  range: EventRange,
  filter: EventFilter,
): Promise<(EventRow & { position: EventPosition })[]> {
  const position = positionOf(db)
  let query = db
    .selectFrom('event')
    .select(columns)
    .select(position.as('position'))
    .where(position, '>', range.after)
    .where(position, '<=', range.upTo)
    .orderBy(position)
    .limit(range.limit)
  if (filter.names) query = query.where('name', 'in', filter.names)
  if (filter.repoId !== undefined) query = query.where('repo_id', '=', filter.repoId)
  if (filter.ownerId !== undefined) query = query.where('owner_id', '=', filter.ownerId)
  return query.execute()
}

/** Empties the texts in events that the account caused, that concern it or its repositories, or that concern its posts. */
export async function emptyTexts(
  tx: Tx,
  userId: UserId,
  { names, members }: { readonly names: readonly string[]; readonly members: readonly string[] },
): Promise<void> {
  const poster = jsonInteger(tx, 'event.data', 'posterId')
  await tx
    .updateTable('event')
    .set({ data: withEmptyMembers(tx, 'event.data', members) })
    .where('name', 'in', names)
    .where((where) =>
      where.or([where('actor_id', '=', userId), where('owner_id', '=', userId), where(poster, '=', userId)]),
    )
    .execute()
}

/** Returns an id below which events are older than `beforeMs`; ids follow times approximately. */
export async function findFirstSince(db: Db, beforeMs: number): Promise<EventId | undefined> {
  const row = await db
    .selectFrom('event')
    .select('id')
    .where('at_ms', '>=', beforeMs)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export interface OldEvents {
  readonly beforeMs: number
  /** See `findFirstSince`. */
  readonly beforeId: EventId | undefined
  readonly limit: number
}

/**
 * Deletes old events without jobs, oldest first.
 * @returns their number and largest position
 */
export async function deleteOldEvents(
  tx: Tx,
  { beforeMs, beforeId, limit }: OldEvents,
): Promise<{ count: number; last: EventPosition }> {
  const position = positionOf(tx)
  const isOld = beforeId === undefined ? sql`true` : sql`event.id < ${beforeId}`
  const { rows } = await sql<{ position: EventPosition }>`
    delete from event where id in (
      select event.id from event where ${isOld} and event.at_ms < ${beforeMs} and ${position} is not null
        and not exists (select 1 from job where job.event_id = event.id)
      order by event.id limit ${limit})
    returning ${position} as position`.execute(tx)
  return { count: rows.length, last: rows.reduce((most, row) => (row.position > most ? row.position : most), start) }
}

/** Before the first event. */
const start = 0 as EventPosition

export async function findClearedTo(db: Db | Tx): Promise<EventPosition> {
  const row = await db.selectFrom('instance_value').select('value').where('name', '=', clearedName).executeTakeFirst()
  return row ? (Number(row.value) as EventPosition) : start
}

export async function upsertClearedTo(tx: Tx, position: EventPosition): Promise<void> {
  const value = String(position)
  await tx
    .insertInto('instance_value')
    .values({ name: clearedName, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
