import { Type } from 'typebox'
import type { Static, TObject } from 'typebox'
import type { Ctx, RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import { readCursor, writeCursor, type CursorKey } from '../../lib/cursor.ts'
import { pageOf, type Bound, type Page, type PageQuery } from '../../lib/paging.ts'
import { mayKnowTeam } from '../../orgs/team.service.ts'
import { findTeamByName } from '../../orgs/team.store.ts'
import { findShownUser } from '../../users/user.service.ts'
import { sentTime } from '../../lib/time.ts'
import type { IssueFilter, RepoFilter } from '../search/issue-filter.store.ts'
import { findIssuePage } from './list.store.ts'
import { findEverywhere } from '../search/search.store.ts'
import { issueSorts, orderOf, type IssueSort } from './list-order.store.ts'
import type { IssueKey } from '../issue.store.ts'
import { areLabelsNamed, listLabelIdsByName } from '../labels/label.store.ts'
import { areMilestonesNamed, listMilestonesNamed } from '../milestones/milestone.store.ts'
import { readSearchWords } from '../search/words.parse.ts'

/** Query parameters of the issue list of a repository. */
export const listQuery = {
  state: Type.Optional(Type.String()),
  labels: Type.Optional(Type.String()),
  q: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  milestones: Type.Optional(Type.String()),
  since: Type.Optional(Type.String()),
  before: Type.Optional(Type.String()),
  created_by: Type.Optional(Type.String()),
  assigned_by: Type.Optional(Type.String()),
  mentioned_by: Type.Optional(Type.String()),
  sort: Type.Optional(Type.String()),
} as const

/** Query parameters of the search over all repositories. */
export const searchQuery = {
  state: Type.Optional(Type.String()),
  labels: Type.Optional(Type.String()),
  milestones: Type.Optional(Type.String()),
  q: Type.Optional(Type.String()),
  priority_repo_id: Type.Optional(Type.Integer()),
  type: Type.Optional(Type.String()),
  since: Type.Optional(Type.String()),
  before: Type.Optional(Type.String()),
  assigned: Type.Optional(Type.Boolean()),
  created: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Boolean()),
  review_requested: Type.Optional(Type.Boolean()),
  reviewed: Type.Optional(Type.Boolean()),
  owner: Type.Optional(Type.String()),
  team: Type.Optional(Type.String()),
} as const

export type ListQuery = Static<TObject<typeof listQuery>> & PageQuery & { readonly cursor?: string }
export type SearchQuery = Static<TObject<typeof searchQuery>> & PageQuery

export interface FoundIssues {
  readonly issues: readonly IssueKey[]
  readonly page: Page
  readonly total: number
  readonly bound: Bound | undefined
  /** The cursor of the next page. */
  readonly cursor?: string | undefined
}

/** Most names in one filter; further names are ignored. */
const maxNames = 100

const namesIn = (text: string | undefined): string[] =>
  text === undefined || text === '' ? [] : text.split(',').slice(0, maxNames)

const isClosedOf = (state: string | undefined): boolean | undefined =>
  state === 'closed' ? true : state === 'all' ? undefined : false

/** Returns the kinds of `issues` or `pulls`; any other word means both. */
const kindsOf = (type: string | undefined): boolean[] =>
  type === 'issues' ? [false] : type === 'pulls' ? [true] : [false, true]

function sortOf(text: string | undefined): IssueSort {
  const lower = (text ?? '').toLowerCase()
  return issueSorts.find((sort) => sort === lower) ?? 'latest'
}

async function accountId(ctx: Ctx, name: string | undefined): Promise<UserId | undefined> {
  if (name === undefined || name === '') return undefined
  const user = await findShownUser(ctx, name)
  if (!user) throw new NotFound('the user does not exist', 'user_not_found')
  return user.id
}

/** Returns undefined, which filters nothing, when no name is given or known. */
const orNoFilter = <Row>(rows: readonly Row[]): readonly Row[] | undefined => (rows.length === 0 ? undefined : rows)

/**
 * Returns one page of the issues and pull requests of a repository, of the kinds whose unit is readable.
 * @throws NotFound when no requested kind is readable
 */
export async function findIssues(ctx: RepoCtx, query: ListQuery): Promise<FoundIssues> {
  const page = pageOf(query, ctx.config.api)
  const isPull = kindsOf(query.type).filter((each) => ctx.rights.modeOf(each ? 'pulls' : 'issues') >= mode.read)
  if (isPull.length === 0) throw new NotFound('issues are not available here', 'unit_unavailable')
  const times = { sinceUnix: sentTime(query.since, 'since'), beforeUnix: sentTime(query.before, 'before') }
  const posterId = await accountId(ctx, query.created_by)
  const assigneeId = await accountId(ctx, query.assigned_by)
  const mentionedId = await accountId(ctx, query.mentioned_by)
  const labelNames = namesIn(query.labels)
  const milestoneNames = namesIn(query.milestones)
  const labels = labelNames.length === 0 ? [] : await listLabelIdsByName(ctx.db, ctx.repo.id, labelNames)
  const milestones = milestoneNames.length === 0 ? [] : await listMilestonesNamed(ctx.db, ctx.repo.id, milestoneNames)
  // A title takes precedence over an id: a number is an id only when no milestone has it as title.
  const titles = new Set(milestones.map((milestone) => milestone.title))
  const chosen = milestones.filter(
    (milestone) => milestoneNames.includes(milestone.title) || !titles.has(String(milestone.id)),
  )
  const milestoneIds = orNoFilter(chosen.map((milestone) => milestone.id))
  const words = await readSearchWords(query.q ?? '')
  const filter: RepoFilter = {
    scope: { kind: 'repo', repoId: ctx.repo.id },
    isClosed: isClosedOf(query.state),
    isPull,
    ...times,
    allLabels: labels.map((label) => label.id),
    ...(milestoneIds ? { milestoneIds } : {}),
    posterId,
    assigneeId,
    mentionedId,
    ...(words.length > 0 ? { words } : {}),
  }
  const kept = totalByCounters(ctx, filter)
  const sort = sortOf(query.sort)
  const { keys, ...found } = await findIssuePage(ctx.db, filter, sort, pageFrom(page, query.cursor, sort), kept)
  return { issues: keys, page, total: found.total, bound: found.bound, cursor: nextCursor(page, found.last, sort) }
}

/** Offset from which a page is found by cursor. A smaller offset costs little, and clients see plain page numbers. */
const cursorsFrom = 1000

/**
 * Returns a page that begins at the cursor, if one is given.
 * @throws Invalid for a cursor of another order
 */
export const pageFrom = (page: Page, cursor: string | undefined, sort: IssueSort): Page =>
  cursor === undefined || cursor === '' ? page : { ...page, after: readCursor(cursor, sort, orderOf(sort).length) }

/** Returns the cursor of the next page, if its offset is large enough. */
export const nextCursor = ({ offset, limit }: Page, last: CursorKey | undefined, sort: IssueSort): string | undefined =>
  last && offset + limit >= cursorsFrom ? writeCursor(sort, last) : undefined

/** Returns the total from the repository's counters, when the filter has only state and kind. */
function totalByCounters({ repo }: RepoCtx, { isClosed, isPull }: IssueFilter): number {
  const count = (total: number, closed: number) => (isClosed === undefined ? total : isClosed ? closed : total - closed)
  return isPull.reduce(
    (sum, pulls) =>
      sum + (pulls ? count(repo.num_pulls, repo.num_closed_pulls) : count(repo.num_issues, repo.num_closed_issues)),
    0,
  )
}

/** Returns one page of the issues and pull requests that the viewer may read in all repositories, newest first. */
export async function searchEverywhere(ctx: Ctx, query: SearchQuery): Promise<FoundIssues> {
  const { config, viewer } = ctx
  const page = pageOf(query, { ...config.api, defaultPagingNum: config.ui.issuePagingNum })
  const times = { sinceUnix: sentTime(query.since, 'since'), beforeUnix: sentTime(query.before, 'before') }
  const owner = query.owner ? await findShownUser(ctx, query.owner) : undefined
  if (query.owner && !owner) throw new BadRequest('the owner does not exist', 'owner_not_found')
  if (query.team && !owner) throw new BadRequest('name the owner of the team too', 'owner_missing')
  const named = query.team && owner ? await findTeamByName(ctx.db, owner.id, query.team.toLowerCase()) : undefined
  const team = named && (await mayKnowTeam(ctx, named)) ? named : undefined
  if (query.team && !team) throw new BadRequest('the team does not exist', 'team_not_found')
  const labelNames = namesIn(query.labels)
  const titles = namesIn(query.milestones)
  const [hasLabels, hasMilestones] = await Promise.all([
    labelNames.length > 0 && areLabelsNamed(ctx.db, viewer, labelNames),
    titles.length > 0 && areMilestonesNamed(ctx.db, viewer, titles),
  ])
  const words = await readSearchWords(query.q ?? '')
  const mine = (isOwn: boolean | undefined): UserId | undefined => (isOwn && viewer ? viewer.id : undefined)
  const { keys, total, bound } = await findEverywhere(
    ctx.db,
    {
      scope: {
        kind: 'visible',
        viewer,
        ownerId: owner?.id,
        teamId: team?.id,
      },
      isClosed: isClosedOf(query.state),
      isPull: kindsOf(query.type),
      ...times,
      // Names that no visible repository has filter nothing.
      ...(hasLabels ? { labelNames } : {}),
      ...(hasMilestones ? { milestoneTitles: titles } : {}),
      posterId: mine(query.created),
      assigneeId: mine(query.assigned),
      mentionedId: mine(query.mentioned),
      reviewAskedOf: mine(query.review_requested),
      reviewedBy: mine(query.reviewed),
      ...(words.length > 0 ? { words } : {}),
    },
    page,
  )
  return { issues: keys, page, total, bound }
}
