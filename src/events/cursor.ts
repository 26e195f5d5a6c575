import { transaction, type Db } from '../db/database.ts'
import { Unreadable } from '../jobs/versions.ts'
import type { EventId, IssueId, RepoId, UserId } from '../lib/ids.ts'
import { readStoredEvent, type Event, type EventName } from './catalogue.ts'
import {
  findClearedTo,
  findEnd,
  findEvent,
  listEvents,
  placeSomeEvents,
  type EventPosition,
  type EventRow,
} from './event.store.ts'

export type { EventPosition } from './event.store.ts'

/** An event as it is read again, with what it is about. */
export type RecordedEvent<Name extends EventName = EventName> = Event<Name> & {
  readonly id: EventId
  readonly actorId: UserId | undefined
  /** The account or organization that it is about, or that owned the repository then. */
  readonly ownerId: UserId | undefined
  readonly repoId: RepoId | undefined
  readonly issueId: IssueId | undefined
}

export interface EventQuery {
  /** Where the reader has come to; 0 is before the first event that is kept. */
  readonly after: EventPosition
  /** Most events of one reading. */
  readonly limit: number
  readonly names?: readonly EventName[] | undefined
  readonly repoId?: RepoId | undefined
  readonly ownerId?: UserId | undefined
}

export interface EventPage {
  readonly events: readonly (RecordedEvent & { readonly position: EventPosition })[]
  /** Where to go on, past what the query does not ask for. */
  readonly position: EventPosition
  /** True when there is nothing more for now. */
  readonly isEnd: boolean
  /** Why the reading ends before an event of another release, which waits until a release that can read it goes on. */
  readonly waitsFor?: string
  /** True when events after `after` have been cleared away already (`[ingot].EVENT_RETENTION`). */
  readonly isIncomplete: boolean
}

/** Most positions that are looked through in one reading where no index leads to what is asked for. */
const maxLookedThrough = 20_000

/**
 * Events in the order of their commits, each exactly once for a reader that goes on where the last page ended: what was
 * committed later, by whichever process, comes later.
 */
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

/** The position of the newest event: a reader that begins here hears what comes from now on. */
export async function currentPosition(db: Db): Promise<EventPosition> {
  const end = await findEnd(db)
  if (!end.hasUnplaced) return end.position
  while (!(await transaction(db, placeSomeEvents)));
  return (await findEnd(db)).position
}

/** The position before the oldest event that is kept. */
export const oldestPosition = (db: Db): Promise<EventPosition> => findClearedTo(db)

/**
 * One event, in today's shape; undefined when it is there no longer.
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
