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

/** `after`: a cursor, or `oldest`; without it, now. `kind`: names of events, a final `*` standing for the rest of one. */
const streamQuery = { after: Type.Optional(Type.String()), kind: Type.Optional(commaList()) }

/** `wait`: how long to wait while there is nothing, in seconds. */
const pageQuery = { ...streamQuery, limit: Type.Optional(Type.Integer()), wait: Type.Optional(Type.Integer()) }

const filterQuery = { repo: Type.Optional(Type.String()), owner: Type.Optional(Type.String()) }

/** Longest wait of a request in seconds. Proxies close connections after longer silence. */
const longestWait = 60

/** The repository or owner that the query names is there for the caller, and the events that it names are told. */
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
  if (wait < 0 || wait > longestWait) throw new BadRequest(`a wait is at most ${longestWait} seconds`, 'wait_too_long')
  return ok(presentFeed(ctx, await waitForFeed(ctx, filter, { after, limit, waitMs: wait * 1000, signal })))
}

/** A client that comes back says by itself where it was (`Last-Event-ID`). */
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

/**
 * What happens, in the order of its commits, as far as the caller may read it: a page after a cursor, and with `wait` at
 * once when something comes. Not part of the contract.
 */
export const listEvents = operation({
  method: 'GET',
  path: '/events',
  scope: null,
  load: 'waiting',
  requires: [signedIn, wantedEvents],
  query: { ...pageQuery, ...filterQuery },
  reply: { 200: FeedPage },
  summary: 'Read what happens',
  async run({ ctx, query, call }) {
    return pageReply(ctx, ctx.filter, query, call)
  },
})

/** The same as server-sent events, each named by its kind, with its cursor as id. Not part of the contract. */
export const watchEvents = operation({
  method: 'GET',
  path: '/events/stream',
  scope: null,
  load: 'waiting',
  requires: [signedIn, wantedEvents],
  query: { ...streamQuery, ...filterQuery },
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Watch what happens, as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, ctx.filter, query, call)
  },
})

/** What happens in one repository. Not part of the contract. */
export const repoListEvents = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/events',
  scope: null,
  load: 'waiting',
  requires: [inRepo, signedIn, wantedEvents],
  query: pageQuery,
  reply: { 200: FeedPage },
  summary: 'Read what happens in a repository',
  async run({ ctx, query, call }) {
    return pageReply(ctx, { ...ctx.filter, repoId: ctx.repo.id }, query, call)
  },
})

export const repoWatchEvents = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/events/stream',
  scope: null,
  load: 'waiting',
  requires: [inRepo, signedIn, wantedEvents],
  query: streamQuery,
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Watch what happens in a repository, as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, { ...ctx.filter, repoId: ctx.repo.id }, query, call)
  },
})

/** What happens in an organization and its repositories. Not part of the contract. */
export const orgListEvents = operation({
  method: 'GET',
  path: '/orgs/{org}/events',
  scope: null,
  load: 'waiting',
  requires: [inOrg, signedIn, wantedEvents],
  query: pageQuery,
  reply: { 200: FeedPage },
  summary: 'Read what happens in an organization',
  async run({ ctx, query, call }) {
    return pageReply(ctx, { ...ctx.filter, ownerId: ctx.org.id }, query, call)
  },
})

export const orgWatchEvents = operation({
  method: 'GET',
  path: '/orgs/{org}/events/stream',
  scope: null,
  load: 'waiting',
  requires: [inOrg, signedIn, wantedEvents],
  query: streamQuery,
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Watch what happens in an organization, as server-sent events',
  async run({ ctx, query, call }) {
    return streamReply(ctx, { ...ctx.filter, ownerId: ctx.org.id }, query, call)
  },
})
