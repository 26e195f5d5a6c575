import type { EventPage } from '../../events/cursor.ts'
import { formatUnix } from '../../lib/time.ts'
import type { EventLog } from './event.schemas.ts'

export const presentEventPage = (page: EventPage): EventLog => ({
  events: page.events.map((event) => ({
    id: event.id,
    position: event.position,
    name: event.name,
    at: formatUnix(Math.floor(event.atMs / 1000)),
    actor_id: event.actorId ?? null,
    owner_id: event.ownerId ?? null,
    repo_id: event.repoId ?? null,
    issue_id: event.issueId ?? null,
    data: event.data,
  })),
  position: page.position,
  has_more: !page.isEnd,
  is_incomplete: page.isIncomplete,
  waits_for: page.waitsFor ?? null,
})
