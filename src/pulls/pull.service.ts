import { findAccountByName, findRepoByName } from '../access/access.store.ts'
import type { RepoCtx } from '../access/context.ts'
import { accessTo } from '../access/repo-access.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { pluck } from '../lib/pluck.ts'
import type { RepoFilter } from '../issues/search/issue-filter.store.ts'
import { nextCursor, pageFrom } from '../issues/lists/list.service.ts'
import { findIssuePage } from '../issues/lists/list.store.ts'
import { findIssue, loadIssues } from '../issues/issue.store.ts'
import { listPinned } from '../issues/social/pin.store.ts'
import { BadRequest, Invalid, NotFound } from '../lib/errors.ts'
import type { LabelId, MilestoneId, RepoId } from '../lib/ids.ts'
import { isOid } from '../lib/refs.ts'
import type { Bound, Page } from '../lib/paging.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findShownUser } from '../users/user.service.ts'
import { findUserById } from '../users/user.store.ts'
import { upToDate } from './pull-check.service.ts'
import { findOldestBetween, findPullByIssue, findPullByMergeCommit, loadPulls, type PullPair } from './pull.store.ts'

export const noPull = () => new NotFound('the pull request does not exist', 'pull_not_found')

/**
 * Returns a pull request as stored, without a check of its branches.
 * @throws NotFound when the number is not a pull request
 */
export async function getStoredPull(ctx: RepoCtx, index: number): Promise<PullPair> {
  const issue = await findIssue(ctx.db, ctx.repo.id, index)
  const pull = issue?.is_pull ? await findPullByIssue(ctx.db, issue.id) : undefined
  if (!issue || !pull) throw noPull()
  return { issue, pull }
}

/**
 * Returns a pull request, checked again when its branches have moved.
 * @throws NotFound when the number is not a pull request
 */
export async function getPull(ctx: RepoCtx, index: number): Promise<PullPair> {
  const stored = await getStoredPull(ctx, index)
  return freshen(ctx, stored)
}

/** Returns the pull request, checked again when it is open and its branches have moved. */
export async function freshen(ctx: RepoCtx, stored: PullPair): Promise<PullPair> {
  if (stored.issue.is_closed) return stored
  const pull = await upToDate(ctx, stored.pull)
  if (pull === stored.pull) return stored
  return (await pairsOf(ctx, [pull]))[0] ?? stored
}

/** Returns the pull requests with their issues. */
export async function pairsOf(ctx: Pick<RepoCtx, 'db'>, pulls: readonly PullRow[]): Promise<PullPair[]> {
  const issues = await loadIssues(ctx.db, pluck(pulls, 'issue_id'))
  return pulls.flatMap((pull) => {
    const issue = issues.get(pull.issue_id)
    return issue ? [{ pull, issue }] : []
  })
}

/** Returns the issues that are pull requests, with their rows of `pull`. */
export async function withPulls(ctx: Pick<RepoCtx, 'db'>, issues: readonly PullPair['issue'][]): Promise<PullPair[]> {
  const pulls = await loadPulls(ctx.db, pluck(issues, 'id'))
  return issues.flatMap((issue) => {
    const pull = pulls.get(issue.id)
    return pull ? [{ pull, issue }] : []
  })
}

/** Returns the pinned pull requests in the order of their pins. */
export const listPinnedPulls = async (ctx: RepoCtx): Promise<PullPair[]> =>
  withPulls(ctx, await listPinned(ctx.db, ctx.repo.id, true))

/** Returns the head repository; the base repository when the head's does not exist or the viewer may not read it. */
export async function homeOfHead(
  ctx: RepoCtx,
  { pull }: PullPair,
): Promise<Pick<RepoCtx, 'config' | 'repo' | 'owner'>> {
  if (pull.head_repo_id === null || pull.head_repo_id === ctx.repo.id) return ctx
  const repo = await findRepoById(ctx.db, pull.head_repo_id)
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !owner) return ctx
  const { rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  return rights.canRead('code') ? { config: ctx.config, repo, owner } : ctx
}

export interface PullQuery {
  readonly state?: string | undefined
  readonly sort?: string | undefined
  readonly milestone?: number | undefined
  readonly labels?: readonly string[] | undefined
  readonly poster?: string | undefined
  readonly cursor?: string | undefined
}

/** An absent or unknown state lists open and closed pull requests, unlike lists of issues (observed). */
const closedOf = (state: string | undefined): boolean | undefined =>
  state === 'open' ? false : state === 'closed' ? true : undefined

/**
 * Returns one page of pull requests.
 * @throws BadRequest for an unknown poster, Invalid for a label that is not an id (contract)
 */
export async function listPulls(
  ctx: RepoCtx,
  query: PullQuery,
  page: Page,
): Promise<{ pairs: PullPair[]; total: number; bound: Bound | undefined; cursor: string | undefined }> {
  const poster = query.poster ? await findShownUser(ctx, query.poster) : undefined
  if (query.poster && !poster) throw new BadRequest(`there is no user ${query.poster}`, 'poster_unknown')
  const labels = (query.labels ?? []).filter((label) => label !== '')
  const wrong = labels.find((label) => !/^\d{1,15}$/.test(label))
  if (wrong !== undefined) throw new Invalid('[labels]: is not a list of ids', 'invalid', { field: 'labels' })
  const filter: RepoFilter = {
    scope: { kind: 'repo', repoId: ctx.repo.id },
    isClosed: closedOf(query.state),
    isPull: [true],
    ...(labels.length > 0 ? { anyLabels: labels.map((label) => Number(label) as LabelId) } : {}),
    ...(query.milestone ? { milestoneIds: [query.milestone as MilestoneId] } : {}),
    posterId: poster?.id,
  }
  const sort = sorts.find((each) => each === query.sort) ?? 'latest'
  const kept = countPulls(ctx.repo, filter.isClosed)
  const { keys, ...found } = await findIssuePage(ctx.db, filter, sort, pageFrom(page, query.cursor, sort), kept)
  const issues = await loadIssues(ctx.db, pluck(keys, 'id'))
  return {
    pairs: await withPulls(
      ctx,
      keys.flatMap(({ id }) => issues.get(id) ?? []),
    ),
    total: found.total,
    bound: found.bound,
    cursor: nextCursor(page, found.last, sort),
  }
}

/** Sort orders of pull requests. An absent or unknown word and `priority` sort newest first. */
const sorts = ['oldest', 'recentupdate', 'leastupdate', 'mostcomment', 'leastcomment'] as const

const countPulls = ({ num_pulls: all, num_closed_pulls: closed }: RepoRow, isClosed: boolean | undefined): number =>
  isClosed === undefined ? all : isClosed ? closed : all - closed

/**
 * Returns the oldest pull request between a base branch and a head. The head is `branch`, `owner:branch` (a repository of
 * the same name) or `owner/repository:branch`.
 * @throws NotFound when no such pull request exists
 */
export async function getPullByBranches(ctx: RepoCtx, base: string, head: string): Promise<PullPair> {
  const colon = head.indexOf(':')
  const headRepo = colon < 0 ? undefined : head.slice(0, colon)
  const headRepoId = headRepo === undefined ? ctx.repo.id : await repoNamed(ctx, headRepo)
  const pull =
    headRepoId &&
    (await findOldestBetween(ctx.db, {
      repoId: ctx.repo.id,
      baseBranch: base,
      headRepoId,
      headBranch: head.slice(colon + 1),
    }))
  const [pair] = pull ? await pairsOf(ctx, [pull]) : []
  if (!pair) throw noPull()
  return freshen(ctx, pair)
}

async function repoNamed(ctx: RepoCtx, headRepo: string): Promise<RepoId | undefined> {
  const [ownerName = '', repoName = ctx.repo.name] = headRepo.split('/', 2)
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  return owner && (await findRepoByName(ctx.db, owner.id, repoName.toLowerCase()))?.id
}

/**
 * Returns the pull request that a commit merged.
 * @throws NotFound when the commit merged no pull request
 */
export async function getPullOfCommit(ctx: RepoCtx, text: string): Promise<PullPair> {
  const pull = isOid(text) ? await findPullByMergeCommit(ctx.db, ctx.repo.id, text) : undefined
  const [pair] = pull ? await pairsOf(ctx, [pull]) : []
  if (!pair) throw noPull()
  return pair
}
