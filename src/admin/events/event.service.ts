import type { Ctx } from '../../access/context.ts'
import type { EventName } from '../../events/catalogue.ts'
import { readEvents, type EventPage, type EventPosition } from '../../events/cursor.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** An administrator's query of events. */
export interface EventLogQuery {
  readonly after?: number | undefined
  readonly limit: number
  readonly name?: EventName | undefined
  readonly repoId: number | undefined
  readonly ownerId: number | undefined
}

/** Returns events in commit order, after a position. */
export const getEventLog = (ctx: Ctx, query: EventLogQuery): Promise<EventPage> =>
  readEvents(ctx.db, {
    after: Math.max(0, query.after ?? 0) as EventPosition,
    limit: query.limit,
    names: query.name === undefined ? undefined : [query.name],
    repoId: query.repoId as RepoId | undefined,
    ownerId: query.ownerId as UserId | undefined,
  })
