import { randomBytes } from 'node:crypto'
import { accessToAll, type RepoAccess } from '../access/repo-access.ts'
import { findAccountByName, listMemberships } from '../access/access.store.ts'
import type { SignedInCtx } from '../access/context.ts'
import { resolveRepo } from '../access/resolve-repo.ts'
import { grants } from '../auth/token-scopes.ts'
import { viewerOf, type Viewer } from '../auth/viewer.ts'
import { transaction, type Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { EventName } from '../events/catalogue.ts'
import {
  currentPosition,
  oldestPosition,
  readEvents,
  type EventPage,
  type EventPosition,
  type EventQuery,
  type RecordedEvent,
} from '../events/cursor.ts'
import type { LiveEvent } from '../events/live.ts'
import type { RepoWithOwner } from '../issues/repo-with-owner.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { BadRequest, Gone, Moved, NotFound } from '../lib/errors.ts'
import type { IssueId, RepoId, UserId } from '../lib/ids.ts'
import { SharedWork } from '../lib/shared-work.ts'
import { refuseInvisible } from '../users/user.service.ts'
import { loadUsers } from '../users/user.store.ts'
import { formatCursor, kindsOf, parseCursor, ruleOf, feedKinds } from './feed.rules.ts'
import { feedWaker, type Sleeper } from './feed-waker.ts'
import {
  findFeedInstance,
  findPresentAccount,
  insertFeedInstance,
  listOwnedOrgs,
  listShownAccounts,
} from './feed.store.ts'

/** Selects events of the feed. */
export interface FeedFilter {
  /** Undefined: each kind in the feed. */
  readonly names?: readonly EventName[] | undefined
  readonly repoId?: RepoId | undefined
  readonly ownerId?: UserId | undefined
}

/** An event with the rows that its presentation needs. */
export interface FeedEntry {
  readonly event: RecordedEvent
  readonly cursor: string
  readonly actor: UserRow | undefined
  /** The repository under its current name. Undefined: none, or the viewer may not see it. */
  readonly repository: RepoWithOwner | undefined
  /** Undefined: the event is not about an issue, or the issue is deleted. */
  readonly issue: IssueRow | undefined
}

export interface FeedPage {
  readonly entries: readonly FeedEntry[]
  /** Cursor of the next page. */
  readonly cursor: string
  readonly hasMore: boolean
}

/** The filter of a request, not resolved. */
export interface FeedQuery {
  readonly kinds?: readonly string[] | undefined
  /** `owner/name`. */
  readonly repository?: string | undefined
  readonly owner?: string | undefined
}

/**
 * Resolves the filter of a request.
 * @throws NotFound for a repository or an account that does not exist or that the viewer may not see
 */
export async function findFilter(ctx: SignedInCtx, query: FeedQuery): Promise<FeedFilter> {
  const names = query.kinds === undefined || query.kinds.length === 0 ? undefined : kindsOf(query.kinds)
  if (names?.length === 0) throw new BadRequest('no kind of event in the feed matches "kind"', 'feed_kind_unknown')
  if (query.repository !== undefined) {
    const [owner = '', name = '', more] = query.repository.split('/')
    if (name === '' || more !== undefined) throw new BadRequest('"repo" must be owner/name', 'feed_repo_invalid')
    const { repo } = await resolveRepo(ctx, owner, name, () => '').catch((error: unknown) => {
      // A former name does not redirect, so that the client learns the new name.
      if (error instanceof Moved) throw new NotFound('the repository has a new name', 'repo_renamed')
      throw error
    })
    return { names, repoId: repo.id }
  }
  if (query.owner === undefined) return { names }
  const owner = await findAccountByName(ctx.db, query.owner.toLowerCase())
  if (!owner) throw new NotFound('the user does not exist', 'user_not_found')
  await refuseInvisible(ctx, owner)
  return { names, ownerId: owner.id }
}

const instances = new WeakMap<Db, Promise<string>>()

/** Returns the random text that marks cursors of this instance. */
function instanceOf(db: Db): Promise<string> {
  const known = instances.get(db)
  if (known) return known
  const found = findOrMakeInstance(db)
  instances.set(db, found)
  found.catch(() => instances.delete(db))
  return found
}

async function findOrMakeInstance(db: Db): Promise<string> {
  const known = await findFeedInstance(db)
  if (known !== undefined) return known
  await transaction(db, (tx) => insertFeedInstance(tx, randomBytes(8).toString('hex')))
  return (await findFeedInstance(db)) as string
}

/**
 * Returns the position where a reader begins: a cursor, the oldest kept event (`oldest`), or now (empty or undefined).
 * @throws BadRequest for a cursor of another instance, and for one that is newer than a restored backup
 * @throws Gone for a cursor before the oldest kept event; the reader must rebuild its copy
 */
export async function findBegin(db: Db, after: string | undefined): Promise<EventPosition> {
  if (after === undefined || after === '') return currentPosition(db)
  if (after === 'oldest') return oldestPosition(db)
  const cursor = parseCursor(after)
  if (cursor?.instance !== (await instanceOf(db))) {
    throw new BadRequest('the cursor does not belong to this instance; start again without a cursor', 'cursor_unknown')
  }
  if (cursor.position > (await currentPosition(db))) {
    throw new BadRequest('the cursor is newer than the newest event; start again without a cursor', 'cursor_unknown')
  }
  const position = cursor.position as EventPosition
  if (position < (await oldestPosition(db))) throw tooOld()
  return position
}

const tooOld = () =>
  new Gone('events after the cursor are deleted; rebuild the copy and start again without a cursor', 'cursor_too_old')

/**
 * Reads by database and query. Clients that wake together share one; it must have begun after the event that woke them, because
 * they sleep until the next event then.
 */
const reads = new WeakMap<Db, SharedWork<string, EventPage>>()

function readTogether(db: Db, query: EventQuery): Promise<EventPage> {
  const shared = reads.get(db) ?? new SharedWork<string, EventPage>()
  reads.set(db, shared)
  return shared.run(JSON.stringify(query), () => readEvents(db, query))
}

/** Largest number of events that are examined for one page. The viewer may be allowed to read only a few of them. */
const lookedAtOnce = 2000
const readAtOnce = 100

/** Returns a page of the events after a position that the viewer may read now. */
export async function readFeed(
  ctx: SignedInCtx,
  filter: FeedFilter,
  after: EventPosition,
  limit: number,
): Promise<FeedPage & { readonly position: EventPosition }> {
  const instance = await instanceOf(ctx.db)
  const entries: FeedEntry[] = []
  let position = after
  let hasMore = true
  for (let looked = 0; hasMore && looked < lookedAtOnce && entries.length < limit;) {
    const page = await readTogether(ctx.db, { ...filter, after: position, limit: readAtOnce })
    if (page.isIncomplete) throw tooOld()
    const readable = await readableOf(ctx, page.events)
    const room = limit - entries.length
    for (const event of readable.events.slice(0, room)) {
      entries.push(readable.entryOf(event, formatCursor(instance, event.position)))
    }
    const last = readable.events[room - 1]
    const isCut = readable.events.length > room
    position = isCut && last ? last.position : page.position
    hasMore = isCut || !page.isEnd
    looked += readAtOnce
  }
  return { entries, position, cursor: formatCursor(instance, position), hasMore }
}

type PagedEvent = EventPage['events'][number]

/** Returns the events that the viewer may read, and a function that makes their entries. Runs a fixed number of queries. */
async function readableOf({ db, viewer }: SignedInCtx, all: readonly PagedEvent[]) {
  const granted = all.filter((event) => {
    const rule = ruleOf(event)
    return rule !== undefined && isGranted(viewer, rule.scope)
  })
  const idsOf = <Id>(id: (event: PagedEvent) => Id | undefined): Id[] => [
    ...new Set(granted.map(id).filter((each) => each !== undefined)),
  ]
  const accountIds = idsOf(accountOf)
  const orgIds = idsOf((event) => ('orgId' in event.data ? event.data.orgId : undefined))
  const ownerIds = idsOf((event) =>
    'ownerId' in event.data && ruleOf(event)?.readers(event)?.of === 'owners' ? event.data.ownerId : undefined,
  )
  const [repos, shown, owned, memberships, actors, issues] = await Promise.all([
    loadReposWithOwners(
      db,
      idsOf((event) => event.repoId),
    ),
    listShownAccounts(db, viewer, accountIds),
    listOwnedOrgs(db, ownerIds, viewer.id),
    orgIds.length === 0 ? [] : listMemberships(db, orgIds, viewer.id),
    loadUsers(
      db,
      idsOf((event) => event.actorId),
    ),
    loadIssues(
      db,
      idsOf<IssueId>((event) => event.issueId),
    ),
  ])
  const access = await accessToAll(db, viewer, [...repos.values()])
  const members = new Set(memberships.map((row) => row.org_id))
  const known = { access, shown, owned, members }
  return {
    events: granted.filter((event) => mayRead(viewer, event, known)),
    entryOf: (event: PagedEvent, cursor: string): FeedEntry => ({
      event,
      cursor,
      actor: event.actorId === undefined ? undefined : actors.get(event.actorId),
      // An account that reads an entry because it is about them may have no access to the repository.
      repository:
        event.repoId === undefined || !access.get(event.repoId)?.rights.any ? undefined : repos.get(event.repoId),
      issue: event.issueId === undefined ? undefined : issues.get(event.issueId),
    }),
  }
}

/** Returns the account that must be visible to readers of the event. */
function accountOf(event: PagedEvent): UserId | undefined {
  const readers = ruleOf(event)?.readers(event)
  return readers?.of === 'account' ? (event.data as Partial<Record<string, UserId>>)[readers.member] : undefined
}

const isGranted = ({ credential }: Viewer, scope: Parameters<typeof grants>[1]): boolean =>
  credential.kind !== 'token' || grants(credential.scopes, scope, 'read')

interface Known {
  readonly access: ReadonlyMap<RepoId, RepoAccess>
  readonly shown: ReadonlySet<UserId>
  readonly owned: ReadonlySet<UserId>
  readonly members: ReadonlySet<UserId>
}

function mayRead(viewer: Viewer, event: PagedEvent, { access, shown, owned, members }: Known): boolean {
  const rule = ruleOf(event)
  const readers = rule?.readers(event)
  if (!rule || !readers) return false
  const ids = event.data as Partial<Record<string, unknown>>
  const isLimited = viewer.limit.publicOnly || viewer.limit.repo !== undefined
  if (!isLimited && rule.about?.some((member) => ids[member] === viewer.id)) return true
  const rights = event.repoId === undefined ? undefined : access.get(event.repoId)?.rights
  switch (readers.of) {
    case 'unit':
      return rights !== undefined && rights.modeOf(readers.unit) > 0
    case 'repository':
      return rights?.any ?? false
    case 'administration':
      return rights?.isAdmin ?? false
    case 'members':
      return !isLimited && (viewer.isAdmin || members.has(ids['orgId'] as UserId))
    case 'account':
      return viewer.limit.repo === undefined && shown.has(ids[readers.member] as UserId)
    case 'owners':
      return !isLimited && (viewer.isAdmin || ids['ownerId'] === viewer.id || owned.has(ids['ownerId'] as UserId))
    case 'administrators':
      return !isLimited && viewer.isAdmin
    case 'nobody else':
      return false
  }
}

const kindsInFeed = new Set<EventName>(feedKinds)

/** Returns whether a live event may match the filter, by its name and ids. */
const isOfInterest =
  ({ names, repoId }: FeedFilter) =>
  (event: LiveEvent): boolean =>
    kindsInFeed.has(event.name) &&
    (names === undefined || names.includes(event.name)) &&
    (repoId === undefined || event.ids['repoId'] === repoId)

/** Returns a context with the viewer's current account. Undefined: the account or the credential is no longer valid. */
async function presentCtx<Context extends SignedInCtx>(ctx: Context): Promise<Context | undefined> {
  const account = await findPresentAccount(ctx.db, ctx.viewer)
  return account && { ...ctx, viewer: viewerOf(account, ctx.viewer.credential) }
}

/** Returns a page. While the page is empty, waits up to `waitMs` for an event. */
export async function waitForFeed(
  ctx: SignedInCtx,
  filter: FeedFilter,
  { after, limit, waitMs, signal }: Reading & { readonly waitMs: number },
): Promise<FeedPage> {
  if (waitMs <= 0) return readFeed(ctx, filter, after, limit)
  using sleeper = feedWaker.of(ctx).sleep(ctx.viewer.id, isOfInterest(filter))
  const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
  let page = await readFeed(ctx, filter, after, limit)
  while (page.entries.length === 0 && (page.hasMore || (await sleeper.woken(until)))) {
    const present = await presentCtx(ctx)
    if (!present) break
    page = await readFeed(present, filter, page.position, limit)
  }
  return page
}

interface Reading {
  readonly after: EventPosition
  readonly limit: number
  readonly signal: AbortSignal
}

/** An item of a stream: an entry, or a newer cursor after events that the viewer may not read. */
export type FeedItem =
  | { readonly kind: 'entry'; readonly entry: FeedEntry }
  | { readonly kind: 'place'; readonly cursor: string }

/**
 * Streams entries from a position on until the signal aborts or the credential becomes invalid. The stream also ends when
 * a slow reader's position is older than the oldest kept event; the next request then gets `Gone`.
 * @throws TooManyRequests, Unavailable when too many clients wait
 */
export function followFeed(
  ctx: SignedInCtx,
  filter: FeedFilter,
  from: Omit<Reading, 'signal'>,
): (signal: AbortSignal) => AsyncGenerator<FeedItem> {
  // Refuses an excess client before the reply begins.
  const sleeper = feedWaker.of(ctx).sleep(ctx.viewer.id, isOfInterest(filter))
  return (signal) => {
    // Releases the place even if nobody takes the first item.
    signal.addEventListener('abort', () => sleeper[Symbol.dispose](), { once: true })
    return follow(ctx, filter, { ...from, signal }, sleeper)
  }
}

async function* follow(
  ctx: SignedInCtx,
  filter: FeedFilter,
  { after, limit, signal }: Reading,
  sleeper: Sleeper,
): AsyncGenerator<FeedItem> {
  using _ = sleeper
  let position = after
  let lastSent: EventPosition | undefined
  for (let present: SignedInCtx | undefined = ctx; present; present = await presentCtx(ctx)) {
    const page = await readFeed(present, filter, position, limit)
    for (const entry of page.entries) yield { kind: 'entry', entry }
    position = page.position
    // With the cursor a returning client skips the events that it may not read.
    if (page.entries.length > 0) lastSent = position
    else if (lastSent === undefined || position - lastSent > readAtOnce) {
      lastSent = position
      yield { kind: 'place', cursor: page.cursor }
    }
    if (!page.hasMore && !(await sleeper.woken(signal))) return
    if (signal.aborted) return
  }
}
