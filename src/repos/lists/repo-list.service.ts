import { seesAllAccounts } from '../../access/conditions/account-condition.store.ts'
import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { sightOf } from '../../access/named-account.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import { Invalid } from '../../lib/errors.ts'
import type { RepoId, TeamId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { mayKnowTeam } from '../../orgs/team.service.ts'
import { findTeam } from '../../orgs/team.store.ts'
import { findUserById, loadUsers } from '../../users/user.store.ts'
import type { RepoFilter } from '../search/repo-filter.store.ts'
import type { RepoOrder, RepoSort } from '../search/repo-order.store.ts'
import { searchRepos, type FoundRepos } from '../search/repo-search.store.ts'
import { wordTable } from '../../lib/word-table.ts'
import type { WatchLevel } from '../watch-level.ts'
import { loadWatchLevels } from '../watcher.store.ts'

export type RepoPage = FoundRepos

const repoPage = (ctx: Ctx, filter: RepoFilter, sort: RepoSort, page: Page): Promise<RepoPage> =>
  searchRepos(ctx.db, filter, ctx.viewer, sort, page)

const byId: RepoSort = { by: 'id', descending: false }

/** Lists the visible repositories of an owner by id. */
export const listReposOf = (ctx: Ctx, owner: UserRow, page: Page): Promise<RepoPage> =>
  repoPage(ctx, { ownerId: owner.id }, byId, page)

/** Lists the visible forks of a repository by id. */
export const listForksOf = (ctx: Ctx, base: RepoRow, page: Page): Promise<RepoPage> =>
  repoPage(ctx, { forkId: base.id }, byId, page)

/** Lists the visible forks of a repository with their owners. */
export async function listForksWithOwners(
  ctx: Ctx,
  base: RepoRow,
  page: Page,
): Promise<{ readonly forks: readonly { readonly repo: RepoRow; readonly owner: UserRow }[]; readonly total: number }> {
  const { repos, total } = await listForksOf(ctx, base, page)
  const owners = await loadUsers(ctx.db, pluck(repos, 'owner_id'))
  const forks = repos.flatMap((repo) => {
    const owner = owners.get(repo.owner_id)
    return owner ? [{ repo, owner }] : []
  })
  return { forks, total }
}

/** Other accounts see only public repositories (contract, users: following, starring, watching). */
const shownOf = (ctx: Ctx, user: UserRow): RepoFilter => (ctx.viewer?.id === user.id ? {} : { isPrivate: false })

/** Lists the visible repositories that an account stars by id. */
export const listStarredRepos = (ctx: Ctx, user: UserRow, page: Page): Promise<RepoPage> =>
  repoPage(ctx, { starredBy: user.id, ...shownOf(ctx, user) }, byId, page)

/** Lists the visible repositories that an account watches by id. */
export const listWatchedRepos = (ctx: Ctx, user: UserRow, page: Page): Promise<RepoPage> =>
  repoPage(ctx, { watchedBy: user.id, ...shownOf(ctx, user) }, byId, page)

/** Lists the repositories that the viewer watches or chose another level for, by id, with the levels. */
export async function listHeardRepos(
  ctx: SignedInCtx,
  page: Page,
): Promise<RepoPage & { readonly levels: ReadonlyMap<RepoId, WatchLevel> }> {
  const found = await repoPage(ctx, { heardBy: ctx.viewer.id }, byId, page)
  return { ...found, levels: await loadWatchLevels(ctx.db, ctx.viewer.id, pluck(found.repos, 'id')) }
}

/** Values of `order_by` for the viewer's repositories. */
const ownOrders = wordTable<RepoSort>({
  name: { by: 'name', descending: false },
  id: { by: 'id', descending: false },
  newest: { by: 'created', descending: true },
  oldest: { by: 'created', descending: false },
  recentupdate: { by: 'updated', descending: true },
  leastupdate: { by: 'updated', descending: false },
  alphabetically: { by: 'alpha', descending: false },
  reversealphabetically: { by: 'alpha', descending: true },
  size: { by: 'size', descending: false },
  reversesize: { by: 'size', descending: true },
  gitsize: { by: 'git_size', descending: false },
  reversegitsize: { by: 'git_size', descending: true },
  lfssize: { by: 'lfs_size', descending: false },
  reverselfssize: { by: 'lfs_size', descending: true },
  moststars: { by: 'stars', descending: true },
  feweststars: { by: 'stars', descending: false },
  mostforks: { by: 'forks', descending: true },
  fewestforks: { by: 'forks', descending: false },
})

/** Lists the repositories that the viewer owns or contributes to. Throws `Invalid` for an unknown order. */
export function listOwnRepos(ctx: SignedInCtx, orderBy: string | undefined, page: Page): Promise<RepoPage> {
  const sort = ownOrders[orderBy || 'name']
  if (!sort) throw new Invalid(`order_by: ${orderBy ?? ''} is no order`, 'order_unknown')
  return repoPage(ctx, { contributorId: ctx.viewer.id }, sort, page)
}

/** The query of `GET /repos/search`. */
export interface RepoQuery {
  readonly q?: string | undefined
  readonly topic?: boolean | undefined
  readonly includeDesc?: boolean | undefined
  readonly uid?: number | undefined
  readonly exclusive?: boolean | undefined
  readonly priorityOwnerId: number | undefined
  readonly teamId: number | undefined
  readonly starredBy?: number | undefined
  readonly private?: boolean | undefined
  readonly isPrivate: boolean | undefined
  readonly template?: boolean | undefined
  readonly archived?: boolean | undefined
  readonly mode?: string | undefined
  readonly sort?: string | undefined
  readonly order?: string | undefined
}

const searchOrders: ReadonlySet<string> = new Set<RepoOrder>([
  'alpha',
  'created',
  'updated',
  'size',
  'git_size',
  'lfs_size',
  'stars',
  'forks',
  'id',
])

function sortOf(query: RepoQuery): RepoSort {
  const firstOwnerId = query.priorityOwnerId ? (query.priorityOwnerId as UserId) : undefined
  // Without `sort`, `order` is ignored (observed).
  if (!query.sort) return { by: 'name', descending: false, firstOwnerId }
  if (!searchOrders.has(query.sort)) throw new Invalid(`sort: ${query.sort} is no order`, 'sort_unknown')
  const order = query.order || 'asc'
  if (order !== 'asc' && order !== 'desc') throw new Invalid(`order: ${order} is neither asc nor desc`, 'order_unknown')
  return { by: query.sort as RepoOrder, descending: order === 'desc', firstOwnerId }
}

function modeFilter(query: RepoQuery, uid: UserId | undefined): RepoFilter {
  switch (query.mode || '') {
    case '':
      return {}
    case 'source':
      return { isFork: false, isMirror: false }
    case 'fork':
      return { isFork: true }
    case 'mirror':
      return { isMirror: true }
    case 'collaborative':
      return { isMirror: false, notOwnedBy: uid }
    default:
      throw new Invalid(`mode: ${query.mode ?? ''} is none of source, fork, mirror, collaborative`, 'mode_unknown')
  }
}

/** Returns whether the viewer may see an account. */
async function isKnownAccount(ctx: Ctx, id: UserId): Promise<boolean> {
  const account = await findUserById(ctx.db, id)
  return account !== undefined && (await sightOf(ctx, account)) === 'visible'
}

/** An id that nothing has: a filter by a hidden account or team finds the same as one by an unknown id. */
const noId = 0

/** Returns the filter by contributions of an account that the viewer may know. */
async function contributionsOf(ctx: Ctx, id: UserId): Promise<RepoFilter> {
  const { viewer } = ctx
  if (viewer && (viewer.id === id || seesAllAccounts(viewer))) return { contributorId: id }
  // The search by a hidden account finds its visible repositories.
  if (!(await isKnownAccount(ctx, id))) return { ownerId: id }
  return { contributorId: id, contributionsKnownTo: viewer?.id ?? 'guest' }
}

async function teamFilter(ctx: Ctx, id: TeamId): Promise<RepoFilter> {
  const team = await findTeam(ctx.db, id)
  return { teamId: team && (await mayKnowTeam(ctx, team)) ? id : (noId as TeamId) }
}

async function starFilter(ctx: Ctx, id: UserId): Promise<RepoFilter> {
  return { starredBy: (await isKnownAccount(ctx, id)) ? id : (noId as UserId) }
}

/** Searches repositories (contract, repositories: search). Throws `Invalid` for unknown modes, sorts and orders. */
export async function findRepos(ctx: Ctx, query: RepoQuery, page: Page): Promise<RepoPage> {
  const uid = query.uid ? (query.uid as UserId) : undefined
  const words = (query.q ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const filter: RepoFilter = {
    words,
    topicsOnly: query.topic,
    alsoDescription: query.includeDesc,
    ...(uid === undefined ? {} : query.exclusive ? { ownerId: uid } : await contributionsOf(ctx, uid)),
    ...(query.teamId ? await teamFilter(ctx, query.teamId as TeamId) : {}),
    ...(query.starredBy ? await starFilter(ctx, query.starredBy as UserId) : {}),
    isPrivate: query.isPrivate,
    publicOwnersOnly: ctx.viewer !== undefined && query.private === false,
    isTemplate: query.template,
    isArchived: query.archived,
    ...modeFilter(query, uid),
  }
  return repoPage(ctx, filter, sortOf(query), page)
}
