import { transaction, type Db } from '../db/database.ts'
import { Unreadable } from '../jobs/versions.ts'
import type { EventId, IssueId, RepoId, UserId } from '../lib/ids.ts'
import { readStoredEvent, type Event, type EventName } from './catalogue.ts'
import {
  findClearedTo,
  findEnd,
  findEvent,
  listEvents,
  positionSomeEvents,
  type EventPosition,
  type EventRow,
} from './event.store.ts'

export type { EventPosition } from './event.store.ts'

/** A stored event with its subjects. */
export type RecordedEvent<Name extends EventName = EventName> = Event<Name> & {
  readonly id: EventId
  readonly actorId: UserId | undefined
  /** The account or organization concerned, or the owner of the repository at that time. */
  readonly ownerId: UserId | undefined
  readonly repoId: RepoId | undefined
  readonly issueId: IssueId | undefined
}

export interface EventQuery {
  /** The position of the reader; 0 is before the first event. */
  readonly after: EventPosition
  /** Maximum number of events. */
  readonly limit: number
  readonly names?: readonly EventName[] | undefined
  readonly repoId?: RepoId | undefined
  readonly ownerId?: UserId | undefined
}

export interface EventPage {
  readonly events: readonly (RecordedEvent & { readonly position: EventPosition })[]
  /** The next position, which skips events that the filter excludes. */
  readonly position: EventPosition
  /** Whether the reader has reached the end. */
  readonly isEnd: boolean
  /** Why the page ends before an event that this release cannot read. */
  readonly waitsFor?: string
  /** Whether events after `after` were deleted (`[ingot].EVENT_RETENTION`). */
  readonly isIncomplete: boolean
}

/** Maximum number of positions scanned per page when no index serves the filter. */
const maxLookedThrough = 20_000

/** Returns events in commit order, each exactly once for a reader that continues from the returned position. */
export async function readEvents(db: Db, query: EventQuery): Promise<EventPage> {
  const { after, limit, names, repoId, ownerId } = query
  const end = await currentPosition(db)
  const hasIndex = names === undefined || repoId !== undefined || ownerId !== undefined
  const upTo = hasIndex ? end : (Math.min(end, after + maxLookedThrough) as EventPosition)
  const isIncomplete = after < (await findClearedTo(db))
  if (upTo <= after) return { events: [], position: after, isEnd: true, isIncomplete }
  const rows = await listEvents(db, { after, upTo, limit }, { names, repoId, ownerId })
  const last = rows.at(-1)
  const position = last && rows.length === limit ? last.position : upTo
  const events: (RecordedEvent & { readonly position: EventPosition })[] = []
  for (const row of rows) {
    try {
      events.push({ ...recordedEvent(row), position: row.position })
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      return { events, position: events.at(-1)?.position ?? after, isEnd: true, waitsFor: error.message, isIncomplete }
    }
  }
  return { events, position, isEnd: position >= end, isIncomplete }
}

/** Returns the position of the newest event; a reader that starts there receives later events. */
export async function currentPosition(db: Db): Promise<EventPosition> {
  const end = await findEnd(db)
  if (!end.hasUnplaced) return end.position
  while (!(await transaction(db, positionSomeEvents)));
  return (await findEnd(db)).position
}

/** Returns the position before the oldest event. */
export const oldestPosition = (db: Db): Promise<EventPosition> => findClearedTo(db)

/**
 * Returns one event; undefined when it was deleted.
 * @throws Unreadable when a newer release wrote it
 */
export async function getEvent(db: Db, id: EventId): Promise<RecordedEvent | undefined> {
  const row = await findEvent(db, id)
  return row && recordedEvent(row)
}

const recordedEvent = (row: EventRow): RecordedEvent => ({
  ...readStoredEvent({ name: row.name, version: row.version, data: JSON.parse(row.data), atMs: row.at_ms }),
  id: row.id,
  actorId: row.actor_id ?? undefined,
  ownerId: row.owner_id ?? undefined,
  repoId: row.repo_id ?? undefined,
  issueId: row.issue_id ?? undefined,
})
