import type { SignedInCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { ThreadReason, ThreadRow, ThreadStatus } from '../db/tables/notifications.ts'
import { findRepoOfOwner } from '../issues/issue.store.ts'
import { BadRequest, Forbidden, NotFound } from '../lib/errors.ts'
import type { RepoId, ThreadId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { parseTime, sentTime } from '../lib/time.ts'
import { statusesOf, subjectsOf, targetStatus } from './thread.rules.ts'
import {
  countByReason,
  countByRepo,
  countThreads,
  findThread,
  findThreads,
  isThreadReadable,
  listThreadsByIds,
  updateOwnThreads,
  updateThread,
  updateThreads,
} from './thread.store.ts'

/** Status filter in the words of the contract. */
interface StatusChoice {
  readonly all: boolean | undefined
  readonly statuses: readonly string[] | undefined
}

/** Parameters of a list of threads. */
export interface ThreadQuery extends StatusChoice {
  readonly subjects: readonly string[] | undefined
  readonly reason?: ThreadReason | undefined
  readonly since: string | undefined
  readonly before: string | undefined
}

/**
 * Returns the statuses to select; empty means each status. `all` overrides the words. Without words, `usual` applies; words
 * that are all empty or unknown select each status. Source: contract.
 */
const wantedStatuses = (
  { all, statuses: words }: StatusChoice,
  usual: readonly ThreadStatus[],
): readonly ThreadStatus[] => {
  if (all) return []
  return words === undefined ? usual : statusesOf(words)
}

/** Returns one page of the viewer's threads, optionally of one repository. */
export function getThreads(
  ctx: SignedInCtx,
  query: ThreadQuery,
  page: Page,
  repoId?: RepoId,
): ReturnType<typeof findThreads> {
  const filter = {
    statuses: wantedStatuses(query, ['unread', 'pinned']),
    subjects: subjectsOf(query.subjects),
    since: sentTime(query.since, 'since'),
    before: sentTime(query.before, 'before'),
    reason: query.reason,
    repoId,
  }
  return findThreads(ctx.db, ctx.viewer, filter, page)
}

/** The numbers of the viewer's threads that a further filter would leave. */
export interface ThreadCounts {
  /** Those with the chosen reason, by repository. */
  readonly repos: ReadonlyMap<RepoId, number>
  /** Those of the chosen repository, by reason. */
  readonly reasons: ReadonlyMap<ThreadReason, number>
}

/** Counts the viewer's threads of a status by repository and by reason. */
export async function countThreadsBy(
  { db, viewer }: SignedInCtx,
  status: ThreadStatus,
  { reason, repoId }: { readonly reason: ThreadReason | undefined; readonly repoId: RepoId | undefined },
): Promise<ThreadCounts> {
  const filter = { statuses: [status], subjects: [] }
  const [repos, reasons] = await Promise.all([
    countByRepo(db, viewer, { ...filter, reason }),
    countByReason(db, viewer, { ...filter, repoId }),
  ])
  return { repos, reasons }
}

export const countUnread = ({ db, viewer }: SignedInCtx): Promise<number> =>
  countThreads(db, viewer, { statuses: ['unread'], subjects: [] })

/** Returns the id of the repository with a full name; one that finds nothing, when there is none. */
export async function findThreadRepo({ db }: SignedInCtx, fullName: string): Promise<RepoId> {
  const [owner = '', name = ''] = fullName.split('/', 2)
  return (await findRepoOfOwner(db, owner, name))?.id ?? (0 as RepoId)
}

const noThread = () => new NotFound('the notification does not exist', 'notification_not_found')

/**
 * Returns a thread. Administrators of the instance may read the threads of other accounts.
 * @throws Forbidden for a thread of another account
 * @throws NotFound when the thread does not exist or the viewer may not read its subject
 */
export async function getThread({ db, viewer }: SignedInCtx, id: number): Promise<ThreadRow> {
  const thread = await findThread(db, id as ThreadId)
  if (!thread) throw noThread()
  if (thread.user_id !== viewer.id && !viewer.isAdmin) {
    throw new Forbidden('the notification belongs to another account', 'notification_of_another')
  }
  if (!(await isThreadReadable(db, viewer, thread.id))) throw noThread()
  return thread
}

/** Sets the status of one of the viewer's own threads. */
export async function markThread(ctx: SignedInCtx, id: number, status: string | undefined): Promise<ThreadRow> {
  const thread = await getThread(ctx, id)
  if (thread.user_id !== ctx.viewer.id) {
    throw new Forbidden('the notification belongs to another account', 'notification_of_another')
  }
  const marked = await transaction(ctx.db, (tx) => updateThread(tx, thread.id, targetStatus(status), ctx.clock.nowMs()))
  if (!marked) throw noThread()
  return marked
}

/** Parameters of marking threads. */
export interface MarkQuery extends StatusChoice {
  readonly to: string | undefined
  /** Threads updated later keep their status. */
  readonly lastReadAt: string | undefined
  readonly reason?: ThreadReason | undefined
}

/** Most threads in the reply to a change; the change itself has no limit. */
const maxAnswered = 1000

/** Sets the status of the viewer's threads, by default of the unread ones, optionally in one repository. */
export async function markThreads(ctx: SignedInCtx, query: MarkQuery, repoId?: RepoId): Promise<ThreadRow[]> {
  const filter = {
    statuses: wantedStatuses(query, ['unread']),
    subjects: [],
    before: lastRead(query.lastReadAt),
    reason: query.reason,
    repoId,
  }
  const status = targetStatus(query.to)
  const ids = await transaction(ctx.db, (tx) => updateThreads(tx, ctx.viewer, filter, status, ctx.clock.nowMs()))
  return listThreadsByIds(ctx.db, ids.slice(0, maxAnswered))
}

function lastRead(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const unix = parseTime(text)
  if (unix === undefined) {
    throw new BadRequest(`${text} is not a time; write it as 2006-01-02T15:04:05Z`, 'time_invalid')
  }
  return unix
}

/** Most threads that one call of `markOwnThreads` changes. */
const maxMarked = 1000

/** Sets the status of those of the given threads that belong to the viewer. Returns their number. */
export const markOwnThreads = (ctx: SignedInCtx, ids: readonly number[], status: string | undefined): Promise<number> =>
  transaction(ctx.db, (tx) =>
    updateOwnThreads(
      tx,
      ctx.viewer.id,
      ids.slice(0, maxMarked).map((id) => id as ThreadId),
      { status: targetStatus(status), nowMs: ctx.clock.nowMs() },
    ),
  )
