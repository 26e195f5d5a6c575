import { Type } from 'typebox'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import type { LiveEvents, LiveItem } from '../../events/live.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { isEventName } from '../../events/catalogue.ts'
import { mustAccept } from '../../http/accept.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { BadRequest } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentEventPage } from './event.present.ts'
import { EventLog } from './event.schemas.ts'
import { getEventLog } from './event.service.ts'
import { eventStreamSlots } from '../stream-slots.ts'

/**
 * Streams events of the instance as server-sent events, with name, time and ids. `only` lists event names separated by
 * commas; a final `*` matches a prefix. A message `gap` says that events may be missing. Not part of the contract.
 */
export const adminWatchEvents = operation({
  method: 'GET',
  path: '/admin/events',
  scope: 'admin',
  cost: 'waiting',
  requires: [signedIn, siteAdmin],
  query: { only: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Watch what happens in the instance, as server-sent events',
  async run({ ctx, query, call }) {
    mustAccept(call, 'text/event-stream')
    const wanted = (query.only ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const isWanted = (name: string): boolean =>
      wanted.length === 0 ||
      wanted.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))
    return eventStream((signal) => {
      eventStreamSlots.of(ctx).take(ctx.viewer.id, signal)
      return messages(ctx.live, isWanted, signal)
    }, call)
  },
})

/**
 * Returns past events in commit order. A client that continues `after` the returned position receives each event once,
 * within `[ingot].EVENT_RETENTION`. Not part of the contract.
 */
export const adminReadEvents = operation({
  method: 'GET',
  path: '/admin/events/log',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: {
    after: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer()),
    name: Type.Optional(Type.String()),
    repo_id: Type.Optional(Type.Integer()),
    owner_id: Type.Optional(Type.Integer()),
  },
  reply: { 200: EventLog },
  summary: 'Read what has happened in the instance, in order',
  async run({ ctx, query }) {
    const { after, name, repo_id: repoId, owner_id: ownerId } = query
    if (name !== undefined && !isEventName(name)) throw new BadRequest('unknown event name')
    const { limit } = pageOf({ limit: query.limit }, ctx.config.api)
    return ok(presentEventPage(await getEventLog(ctx, { after, name, repoId, ownerId, limit })))
  },
})

function messages(
  live: LiveEvents,
  isWanted: (name: string) => boolean,
  signal: AbortSignal,
): AsyncIterable<StreamMessage> {
  const items = live.watch({ accepts: (event) => isWanted(event.name), signal })
  return (async function* () {
    for await (const item of items) yield toMessage(item)
  })()
}

const toMessage = (item: LiveItem): StreamMessage =>
  item === 'gap'
    ? { event: 'gap', data: {} }
    : { event: item.name, data: { id: item.id, name: item.name, at: new Date(item.atMs).toISOString(), ...item.ids } }
