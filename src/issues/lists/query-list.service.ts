import type { Ctx, RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IssueRow, LabelRow, MilestoneRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import { NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Bound, Page } from '../../lib/paging.ts'
import { sentTime } from '../../lib/time.ts'
import { assigneesOf } from '../../repos/people/candidate.service.ts'
import { findShownUser } from '../../users/user.service.ts'
import { loadAroundIssues, loadIssues, type AroundIssues, type IssueKey } from '../issue.store.ts'
import { listLabels, listUsableLabels } from '../labels/label.store.ts'
import { findMilestoneByTitle, listMilestones } from '../milestones/milestone.store.ts'
import type { IssueFilter, RepoFilter } from '../search/issue-filter.store.ts'
import type { IssueQuery, QuerySort } from '../search/query.parse.ts'
import { readSearchWords } from '../search/words.parse.ts'
import type { IssueSort } from './list-order.store.ts'
import { findIssuePage } from './list.store.ts'

/** Issues or pull requests with the rows that a list shows beside them. */
export interface ShownIssues {
  readonly rows: readonly IssueRow[]
  readonly around: AroundIssues
}

export interface CountOfState {
  readonly total: number
  readonly bound?: Bound | undefined
}

/** What a query found, and the number of open and closed ones that it would find. */
export interface FoundByQuery extends ShownIssues {
  readonly open: CountOfState
  readonly closed: CountOfState
  readonly shown: CountOfState
  /** Filters whose label, milestone or account does not exist; nothing is found then. */
  readonly missing: readonly string[]
}

const sorts: Readonly<Record<QuerySort, IssueSort>> = {
  'created-desc': 'latest',
  'created-asc': 'oldest',
  'updated-desc': 'recentupdate',
  'updated-asc': 'leastupdate',
  'comments-desc': 'mostcomment',
  'comments-asc': 'leastcomment',
  'due-asc': 'nearduedate',
  'due-desc': 'farduedate',
}

/** People expect that a list has all of their words, while the search of the API takes any of them. */
export const allWords = (words: string): string =>
  (words.match(/[+-]?"[^"]*"?|\S+/g) ?? []).map((word) => (/^[+-]/.test(word) ? word : `+${word}`)).join(' ')

const dayStart = (day: string | undefined) => sentTime(day === undefined ? undefined : `${day}T00:00:00Z`, 'since')
const dayEnd = (day: string | undefined) => sentTime(day === undefined ? undefined : `${day}T23:59:59Z`, 'before')

/** Returns issues with the rows around them. */
export const showIssues = async (ctx: Ctx, rows: readonly IssueRow[]): Promise<ShownIssues> => ({
  rows,
  around: await loadAroundIssues(ctx.db, rows),
})

/** Loads issues in the order of their keys, with the rows around them. */
export async function loadShown(ctx: Ctx, keys: readonly IssueKey[]): Promise<ShownIssues> {
  const byId = await loadIssues(ctx.db, pluck(keys, 'id'))
  return showIssues(
    ctx,
    keys.flatMap(({ id }) => byId.get(id) ?? []),
  )
}

/**
 * Returns one page of the issues, of the pull requests, or of both, that a query asks for in a repository.
 * @param kinds of `both`, the viewer gets those that they may read
 * @throws NotFound when the viewer may read none of the kinds
 */
export async function findByQuery(
  ctx: RepoCtx,
  query: IssueQuery,
  kinds: 'issues' | 'pulls' | 'both',
  page: Page,
): Promise<FoundByQuery> {
  const readable = (kinds === 'both' ? (['issues', 'pulls'] as const) : [kinds]).filter(
    (kind) => ctx.rights.modeOf(kind) >= mode.read,
  )
  if (readable.length === 0) throw new NotFound('issues are not available here', 'unit_unavailable')
  const { filter, missing } = await filterOf(
    ctx,
    query,
    readable.map((kind) => kind === 'pulls'),
  )
  const none: CountOfState = { total: 0 }
  if (missing.length > 0) {
    return { ...(await loadShown(ctx, [])), open: none, closed: none, shown: none, missing }
  }
  const sort = sorts[query.sort]
  const { repo } = ctx
  const keptOf = {
    issues: { all: repo.num_issues, closed: repo.num_closed_issues },
    pulls: { all: repo.num_pulls, closed: repo.num_closed_pulls },
  }
  const kept = readable
    .map((kind) => keptOf[kind])
    .reduce((sum, each) => ({ all: sum.all + each.all, closed: sum.closed + each.closed }))
  const countOf = async (isClosed: boolean): Promise<CountOfState> =>
    findIssuePage(
      ctx.db,
      { ...filter, isClosed },
      sort,
      { number: 1, limit: 1, offset: 0 },
      isClosed ? kept.closed : kept.all - kept.closed,
    )
  const isClosed = query.state === 'all' ? undefined : query.state === 'closed'
  const keptShown = isClosed === undefined ? kept.all : isClosed ? kept.closed : kept.all - kept.closed
  const [found, open, closed] = await Promise.all([
    findIssuePage(ctx.db, { ...filter, isClosed }, sort, page, keptShown),
    isClosed === false ? undefined : countOf(false),
    isClosed === true ? undefined : countOf(true),
  ])
  const shown = { total: found.total, bound: found.bound }
  return { ...(await loadShown(ctx, found.keys)), open: open ?? shown, closed: closed ?? shown, shown, missing }
}

/** The first issues and pull requests of both kinds that a query finds in a repository. */
export interface FoundKeys {
  readonly keys: readonly IssueKey[]
  readonly total: number
  readonly bound?: Bound | undefined
  /** As in `FoundByQuery`. */
  readonly missing: readonly string[]
}

const noKeys: FoundKeys = { keys: [], total: 0, missing: [] }

/** Returns the first ones of a repository that a query asks for, of the kinds that the viewer may read: perhaps of none. */
export async function findKeysByQuery(ctx: RepoCtx, query: IssueQuery, limit: number): Promise<FoundKeys> {
  const kinds = query.kind === undefined ? (['issues', 'pulls'] as const) : [query.kind]
  const readable = kinds.filter((kind) => ctx.rights.modeOf(kind) >= mode.read)
  if (readable.length === 0) return noKeys
  const isPull = readable.map((kind) => kind === 'pulls')
  const { filter, missing } = await filterOf(ctx, query, isPull)
  if (missing.length > 0) return { ...noKeys, missing }
  const isClosed = query.state === 'all' ? undefined : query.state === 'closed'
  const { repo } = ctx
  const kept = isPull
    .map((each) => [each ? repo.num_pulls : repo.num_issues, each ? repo.num_closed_pulls : repo.num_closed_issues])
    .reduce((sum, [all = 0, closed = 0]) => sum + (isClosed === undefined ? all : isClosed ? closed : all - closed), 0)
  const { keys, total, bound } = await findIssuePage(
    ctx.db,
    { ...filter, isClosed },
    sorts[query.sort],
    { number: 1, limit, offset: 0 },
    kept,
  )
  return { keys, total, bound, missing }
}

/** The conditions of a filter that name people, and the filters that name nobody. */
export type PeopleOfQuery = Pick<
  IssueFilter,
  'posterId' | 'assigneeId' | 'mentionedId' | 'reviewAskedOf' | 'reviewedBy'
> & { readonly missing: readonly string[] }

/** Finds the people that a query names. */
export async function peopleOfQuery(ctx: Ctx, query: IssueQuery): Promise<PeopleOfQuery> {
  const missing: string[] = []
  const person = async (key: string, name: string | undefined): Promise<UserId | undefined> => {
    if (name === undefined) return undefined
    const user =
      name.toLowerCase() === 'me' || name === '@me'
        ? ctx.viewer?.user
        : await findShownUser(ctx, name.replace(/^@/, ''))
    if (!user) missing.push(`${key}:${name}`)
    return user?.id
  }
  const [posterId, assigneeId, mentionedId, reviewAskedOf, reviewedBy] = await Promise.all([
    person('author', query.author),
    person('assignee', query.assignee),
    person('mentions', query.mentions),
    person('review-requested', query.reviewRequested),
    person('reviewed-by', query.reviewedBy),
  ])
  return { posterId, assigneeId, mentionedId, reviewAskedOf, reviewedBy, missing }
}

/** Returns the conditions of a query that its repositories do not decide. */
export const boundsOfQuery = (
  query: IssueQuery,
): Pick<
  IssueFilter,
  'lacks' | 'createdFromUnix' | 'createdToUnix' | 'minComments' | 'maxComments' | 'sinceUnix' | 'beforeUnix'
> => ({
  ...(query.lacks.length > 0 ? { lacks: query.lacks } : {}),
  createdFromUnix: dayStart(query.created?.from),
  createdToUnix: dayEnd(query.created?.to),
  minComments: query.comments?.from,
  maxComments: query.comments?.to,
  sinceUnix: dayStart(query.updated?.from),
  beforeUnix: dayEnd(query.updated?.to),
})

async function filterOf(
  ctx: RepoCtx,
  query: IssueQuery,
  isPull: readonly boolean[],
): Promise<{ readonly filter: RepoFilter; readonly missing: readonly string[] }> {
  const namedLabels = [...query.labels, ...query.withoutLabels]
  const [{ missing: nobody, ...people }, labels, milestone] = await Promise.all([
    peopleOfQuery(ctx, query),
    namedLabels.length === 0 ? [] : listUsableLabels(ctx.db, ctx.repo, { names: namedLabels }),
    query.milestone === undefined ? undefined : findMilestoneByTitle(ctx.db, ctx.repo.id, query.milestone),
  ])
  const isNamed = new Set(labels.map((label) => label.name))
  const missing = [...nobody]
  missing.push(...query.labels.filter((name) => !isNamed.has(name)).map((name) => `label:${name}`))
  if (query.milestone !== undefined && !milestone) missing.push(`milestone:${query.milestone}`)
  const words = await readSearchWords(allWords(query.words))
  // A name that the repository and its organization share is met by either label.
  const first = query.labels.flatMap((name) => labels.find((label) => label.name === name) ?? [])
  // One that they share excludes both labels. A name that no label has excludes nothing.
  const excluded = labels.filter((label) => query.withoutLabels.includes(label.name))
  return {
    missing,
    filter: {
      scope: { kind: 'repo', repoId: ctx.repo.id },
      isPull,
      allLabels: first.map((label) => label.id),
      ...(milestone ? { milestoneIds: [milestone.id] } : {}),
      ...people,
      ...boundsOfQuery(query),
      ...(excluded.length > 0 ? { noneOfLabels: pluck(excluded, 'id') } : {}),
      ...(words.length > 0 ? { words } : {}),
    },
  }
}

/** What the menus of a list and of an issue offer. */
export interface IssueChoices {
  /** Labels of the repository and its organization. */
  readonly labels: readonly LabelRow[]
  readonly milestones: readonly MilestoneRow[]
  readonly people: readonly UserRow[]
}

/** Most choices that a menu shows; the query can name the others. */
const offeredAtMost = 100

/** Returns the labels, open milestones and people of a repository, at most 100 of each. */
export async function getChoices(ctx: RepoCtx): Promise<IssueChoices> {
  const page: Page = { number: 1, limit: offeredAtMost, offset: 0 }
  const [own, shared, milestones, people] = await Promise.all([
    listLabels(ctx.db, { repoId: ctx.repo.id }, 'name', page),
    ctx.owner.kind === 'organization' ? listLabels(ctx.db, { orgId: ctx.owner.id }, 'name', page) : [],
    listMilestones(ctx.db, ctx.repo.id, { isClosed: false }, page),
    assigneesOf(ctx, page),
  ])
  const labels = [...own, ...shared].filter((label) => label.archived_unix === 0)
  return { labels, milestones, people: people.users }
}
