import { Type, type Static, type TObject } from 'typebox'
import type { SignedInCtx } from '../access/context.ts'
import { inRepo } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { mustAccept } from '../http/accept.ts'
import { eventStream, type StreamMessage } from '../http/event-stream.ts'
import { bytesOf, operation, type Call, type Requirement } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { commaList } from '../http/schema.ts'
import { BadRequest } from '../lib/errors.ts'
import { pageOf } from '../lib/paging.ts'
import { inOrg } from '../orgs/org.requirements.ts'
import { presentEntry, presentFeed } from './feed.present.ts'
import { FeedPage } from './feed.schemas.ts'
import { findBegin, findFilter, followFeed, waitForFeed, type FeedFilter, type FeedItem } from './feed.service.ts'

/** `after`: a cursor or `oldest`; default: now. `kind`: kinds of events or prefixes that end in `*`. */
const streamQuery = { after: Type.Optional(Type.String()), kind: Type.Optional(commaList()) }

/** `wait`: seconds to wait for an event while the page is empty. */
const pageQuery = { ...streamQuery, limit: Type.Optional(Type.Integer()), wait: Type.Optional(Type.Integer()) }

const filterQuery = { repo: Type.Optional(Type.String()), owner: Type.Optional(Type.String()) }

/** Longest wait of a request in seconds. Proxies close connections that are idle for longer. */
const longestWait = 60

/** Resolves the query's repository, owner and kinds to a filter. */
const wantedEvents: Requirement<SignedInCtx, { readonly filter: FeedFilter }> = {
  codes: ['wantedEvents'],
  refuses: [400, 403, 404],
  async check(ctx, { query }) {
    const { kind, repo, owner } = query as Partial<Static<TObject<typeof streamQuery & typeof filterQuery>>>
    return { filter: await findFilter(ctx, { kinds: kind, repository: repo, owner }) }
  },
}

interface PageWish {
  readonly after?: string | undefined
  readonly limit?: number | undefined
  readonly wait?: number | undefined
}

async function pageReply(ctx: SignedInCtx, filter: FeedFilter, query: PageWish, { signal }: Call) {
  const { limit } = pageOf({ limit: query.limit }, ctx.config.api)
  const after = await findBegin(ctx.db, query.after)
  const { wait = 0 } = query
  if (wait < 0 || wait > longestWait) {
    throw new BadRequest(`"wait" must be 0 to ${longestWait} seconds`, 'wait_too_long')
  }
  return ok(presentFeed(ctx, await waitForFeed(ctx, filter, { after, limit, waitMs: wait * 1000, signal })))
}

/** Starts a stream. A reconnecting client sends its cursor in `Last-Event-ID`. */
async function streamReply(ctx: SignedInCtx, filter: FeedFilter, query: PageWish, call: Call) {
  mustAccept(call, 'text/event-stream')
  const lastSeen = call.headers['last-event-id']
  const after = await findBegin(ctx.db, typeof lastSeen === 'string' && lastSeen !== '' ? lastSeen : query.after)
  const limit = ctx.config.api.maxResponseItems
  const open = followFeed(ctx, filter, { after, limit })
  return eventStream((signal) => messages(ctx, open(signal)), call)
}

async function* messages(ctx: SignedInCtx, items: AsyncIterable<FeedItem>): AsyncGenerator<StreamMessage> {
  for await (const item of items) {
    yield item.kind === 'place'
      ? { event: 'cursor', id: item.cursor, data: { cursor: item.cursor } }
      : { event: item.entry.event.name, id: item.entry.cursor, data: presentEntry(ctx, item.entry) }
  }
}

/** Returns a page of events in commit order that the caller may read. Not part of the contract. */
export const listEvents = operation({
  method: 'GET',
  path: '/events',
  scope: null,
  cost: 'waiting',
  requires: [signedIn, wantedEvents],
  query: { ...pageQuery, ...filterQuery },
  refuses: [410],
  reply: { 200: FeedPage },
  summary: 'List events',
  async run({ ctx, query, call }) {
    return pageReply(ctx, ctx.filter, query, call)
  },
})

/** Streams events. The event name is the kind, the event id is the cursor. Not part of the contract. */
export const watchEvents = operation({
  method: 'GET',
  path: '/events/stream',
  scope: null,
  cost: 'waiting',
  requires: [signedIn, wantedEvents],
  query: { ...streamQuery, ...filterQuery },
  refuses: [410],
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Stream events as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, ctx.filter, query, call)
  },
})

/** Returns a page of events of a repository. Not part of the contract. */
export const repoListEvents = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/events',
  scope: null,
  cost: 'waiting',
  requires: [inRepo, signedIn, wantedEvents],
  query: pageQuery,
  reply: { 200: FeedPage },
  summary: 'List events of a repository',
  async run({ ctx, query, call }) {
    return pageReply(ctx, { ...ctx.filter, repoId: ctx.repo.id }, query, call)
  },
})

export const repoWatchEvents = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/events/stream',
  scope: null,
  cost: 'waiting',
  requires: [inRepo, signedIn, wantedEvents],
  query: streamQuery,
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Stream events of a repository as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, { ...ctx.filter, repoId: ctx.repo.id }, query, call)
  },
})

/** Returns a page of events of an organization and its repositories. Not part of the contract. */
export const orgListEvents = operation({
  method: 'GET',
  path: '/orgs/{org}/events',
  scope: null,
  cost: 'waiting',
  requires: [inOrg, signedIn, wantedEvents],
  query: pageQuery,
  reply: { 200: FeedPage },
  summary: 'List events of an organization',
  async run({ ctx, query, call }) {
    return pageReply(ctx, { ...ctx.filter, ownerId: ctx.org.id }, query, call)
  },
})

export const orgWatchEvents = operation({
  method: 'GET',
  path: '/orgs/{org}/events/stream',
  scope: null,
  cost: 'waiting',
  requires: [inOrg, signedIn, wantedEvents],
  query: streamQuery,
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Stream events of an organization as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, { ...ctx.filter, ownerId: ctx.org.id }, query, call)
  },
})
