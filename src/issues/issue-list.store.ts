import { teamHoldsRepo } from '../access/team-holds.store.ts'
import { sql, type ExpressionBuilder, type SqlBool, type Expression } from 'kysely'
import { mayReadWhole, teamRepos } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { databaseKind } from '../db/open.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { IssueId, LabelId, MilestoneId, RepoId, TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import { orderOf, type IssueSort } from './issue-order.store.ts'
import type { IssuePlace } from './issue.store.ts'
import { wordSets, type WordScope } from './issue-words.store.ts'
import type { SearchTerm } from './search-words.parse.ts'
import { listParts, listTallies, type Facet, type Part } from './tally.store.ts'

/** Where is looked: in one repository, or in all that somebody may see. */
export type IssueScope =
  | { readonly kind: 'repo'; readonly repoId: RepoId }
  | {
      readonly kind: 'visible'
      readonly viewer: Viewer | undefined
      readonly ownerId: UserId | undefined
      readonly teamId: TeamId | undefined
    }

export interface IssueFilter {
  readonly scope: IssueScope
  readonly isClosed?: boolean | undefined
  /** Which kinds: issues (false), pull requests (true) or both. */
  readonly isPull: readonly boolean[]
  /** All of these are on it. */
  readonly allLabels?: readonly LabelId[]
  /** Any of these is on it. */
  readonly anyLabels?: readonly LabelId[]
  readonly milestoneIds?: readonly MilestoneId[]
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
  readonly posterId?: UserId | undefined
  readonly assigneeId?: UserId | undefined
  readonly mentionedId?: UserId | undefined
  /** It has a comment or a review of this account, which is not its author. */
  readonly reviewedBy?: UserId | undefined
  /** A review of it by this account, or by a team of the account, is asked for and not given. */
  readonly reviewAskedOf?: UserId | undefined
  readonly words?: readonly SearchTerm[]
}

type Builder = ExpressionBuilder<Schema, 'issue'>

type VisibleScope = Extract<IssueScope, { kind: 'visible' }>

/**
 * That a repository, a row of the query's `repo`, is of the owner and the team that are asked for, and that the viewer may
 * read issues or pull requests in it, whether that unit is switched on or not (contract, issues: the search does not look
 * at units).
 */
const reposOf = (db: Db, scope: VisibleScope, isPull: boolean): Expression<SqlBool> => {
  const { viewer } = scope
  const whole = mayReadWhole(viewer)
  const byTeam = viewer
    ? sql` or repo.id in ${teamRepos(db, viewer, isPull ? 'pulls' : 'issues').select('repo.id')}`
    : sql``
  return sql<SqlBool>`((${whole}${byTeam}) and ${isOfScope(scope)})`
}

/** The repository, a row of the query's `repo`, is of the owner and the team that are asked for. */
function isOfScope({ ownerId, teamId }: VisibleScope): Expression<SqlBool> {
  const isOfOwner = ownerId === undefined ? sql.lit(true) : sql`repo.owner_id = ${ownerId}`
  const isOfTeam =
    teamId === undefined
      ? sql.lit(true)
      : sql`exists (select 1 from team where team.id = ${teamId} and ${teamHoldsRepo('repo.id')})`
  return sql<SqlBool>`(${isOfOwner} and ${isOfTeam})`
}

/** What the rows of a search are found by; everything else is looked at in the rows that this comes to. */
type Lead =
  /** The order, in its index. */
  | { readonly by: 'order' }
  /** Columns of issues, in indexes of theirs. */
  | { readonly by: 'times' | 'milestone' | 'poster' }
  /** Ids that another table gives. */
  | { readonly by: 'ids'; readonly ids: Expression<IssueId> }

type LeadOfIds = Extract<Lead, { by: 'ids' }>

/** A column that SQLite is not to look for an index of. PostgreSQL knows how many rows there are of what. */
const passedOver = (
  db: Db,
  column: 'repo_id' | 'is_pull' | 'is_closed' | 'milestone_id' | 'poster_id' | 'updated_unix',
) => (databaseKind(db) === 'sqlite' ? sql<number>`+${sql.ref(`issue.${column}`)}` : sql.ref<number>(`issue.${column}`))

function conditions(db: Db, where: Builder, filter: IssueFilter, lead?: Lead): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = []
  const column = (name: 'milestone_id' | 'poster_id' | 'updated_unix', by: Lead['by']) =>
    lead === undefined || lead.by === by ? sql.ref<number>(`issue.${name}`) : passedOver(db, name)
  if (lead?.by === 'ids') all.push(where('issue.id', 'in', lead.ids))
  for (const labelId of filter.allLabels ?? []) all.push(hasLabel(where, [labelId]))
  if (filter.anyLabels) all.push(hasLabel(where, filter.anyLabels))
  const { milestoneIds } = filter
  if (milestoneIds) {
    const isOf = milestoneIds.length === 1 ? sql`= ${milestoneIds[0]}` : sql`in ${idList(db, idListText(milestoneIds))}`
    all.push(sql<SqlBool>`${column('milestone_id', 'milestone')} ${isOf}`)
  }
  const updated = column('updated_unix', 'times')
  if (filter.sinceUnix !== undefined) all.push(sql<SqlBool>`${updated} >= ${filter.sinceUnix}`)
  if (filter.beforeUnix !== undefined) all.push(sql<SqlBool>`${updated} <= ${filter.beforeUnix}`)
  if (filter.posterId !== undefined) all.push(sql<SqlBool>`${column('poster_id', 'poster')} = ${filter.posterId}`)
  if (filter.assigneeId !== undefined) all.push(concerns(where, 'issue_assignee', filter.assigneeId))
  if (filter.mentionedId !== undefined) all.push(concerns(where, 'issue_mention', filter.mentionedId))
  if (filter.reviewedBy !== undefined) all.push(isReviewedBy(where, filter.reviewedBy))
  if (filter.reviewAskedOf !== undefined) all.push(isReviewAskedOf(where, filter.reviewAskedOf))
  const refused = filter.words && wordSets(db, filter.words, wordScope(filter)).refused
  if (refused) all.push(where('issue.id', 'not in', refused))
  return all
}

const wordScope = ({ scope, isPull }: IssueFilter): WordScope => ({
  ...(scope.kind === 'repo' ? { repoId: scope.repoId } : {}),
  isPull,
})

const hasLabel = (where: Builder, labelIds: readonly LabelId[]): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom('issue_label')
      .select('issue_label.label_id')
      .whereRef('issue_label.issue_id', '=', 'issue.id')
      .where('issue_label.label_id', 'in', labelIds),
  )

const concerns = (where: Builder, table: 'issue_assignee' | 'issue_mention', userId: UserId): Expression<SqlBool> =>
  where.exists(
    where
      .selectFrom(table)
      .select(`${table}.user_id`)
      .whereRef(`${table}.issue_id`, '=', 'issue.id')
      .where(`${table}.user_id`, '=', userId),
  )

const isReviewedBy = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    where.exists(
      where
        .selectFrom('comment')
        .select('comment.id')
        .whereRef('comment.issue_id', '=', 'issue.id')
        .where('comment.poster_id', '=', userId)
        .where('comment.type', 'in', ['comment', 'review', 'code']),
    ),
  ])

/** A request that is newer than the account's last verdict, on a pull request of somebody else. */
const isReviewAskedOf = (where: Builder, userId: UserId): Expression<SqlBool> =>
  where.and([
    where('issue.is_pull', '=', true),
    where('issue.poster_id', '!=', userId),
    where.exists(
      where
        .selectFrom('review as request')
        .select('request.id')
        .whereRef('request.issue_id', '=', 'issue.id')
        .where('request.type', '=', 'request')
        .where((asked) =>
          asked.or([
            asked('request.reviewer_id', '=', userId),
            asked(
              'request.reviewer_team_id',
              'in',
              asked.selectFrom('team_user').select('team_user.team_id').where('team_user.user_id', '=', userId),
            ),
          ]),
        )
        .where((asked) =>
          asked.not(
            asked.exists(
              asked
                .selectFrom('review as verdict')
                .select('verdict.id')
                .whereRef('verdict.issue_id', '=', 'issue.id')
                .where('verdict.reviewer_id', '=', userId)
                .where('verdict.type', 'in', ['approve', 'reject'])
                .whereRef('verdict.id', '>', 'request.id'),
            ),
          ),
        ),
    ),
  ])

const newestOf = (db: Db, repoId: RepoId, limit: number, offset: number) =>
  db
    .selectFrom('issue')
    .select(['id', 'repo_id'])
    // The table has an index with a condition: SQLite would compare a bare argument with it, and plan the statement anew for
    // each value. Into a sum it does not look.
    .where('repo_id', '=', sql<RepoId>`${repoId} + 0`)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

const newestOfState = preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
  newestOf(db, repoId, limit, offset).where('is_closed', '=', isClosed),
)

const newestOfAll = preparedQuery(newestOf)

/** Whether nothing but the repository and the state is asked for, as in most lists. */
export function isPlain(filter: IssueFilter): filter is IssueFilter & { scope: { kind: 'repo' } } {
  const { scope, isClosed: _state, isPull, allLabels, ...others } = filter
  return (
    scope.kind === 'repo' &&
    isPull.length === 2 &&
    (allLabels?.length ?? 0) === 0 &&
    Object.values(others).every((value) => value === undefined)
  )
}

type RepoFilter = IssueFilter & { readonly scope: { readonly kind: 'repo'; readonly repoId: RepoId } }

const isOfRepo = (filter: IssueFilter): filter is RepoFilter => filter.scope.kind === 'repo'

/** One thing that a filter asks for, and how many issues of each kind and state have it. */
interface Asked {
  readonly lead: Lead
  /** undefined: nobody knows. */
  readonly parts: readonly Part[] | undefined
  /** How many have it, of the kinds and states that are asked for; 0 where nobody knows. */
  readonly total: number
  /** Whether none of those is counted twice. */
  readonly isExact: boolean
}

const having = (db: Db, table: 'issue_assignee' | 'issue_mention', userId: UserId): LeadOfIds => ({
  by: 'ids',
  ids: db.selectFrom(table).select('issue_id').where('user_id', '=', userId) as unknown as Expression<IssueId>,
})

const labelled = (db: Db, keys: readonly LabelId[]): LeadOfIds => ({
  by: 'ids',
  ids: db
    .selectFrom('issue_label')
    .select('issue_id')
    .where('label_id', 'in', idList(db, idListText(keys)) as Expression<LabelId>) as unknown as Expression<IssueId>,
})

/** What the database keeps count of, each with what finds the issues that have it. */
function tallied(db: Db, filter: RepoFilter): { readonly facet: Facet; readonly lead: Lead }[] {
  const { allLabels = [], anyLabels, milestoneIds, posterId, assigneeId, mentionedId } = filter
  const one = (facet: Facet['facet'], keys: readonly number[] | undefined, lead: () => Lead) =>
    keys === undefined ? [] : [{ facet: { facet, keys }, lead: lead() }]
  const person = (id: UserId | undefined) => (id === undefined ? undefined : [id])
  return [
    ...allLabels.map((label) => ({ facet: { facet: 'label', keys: [label] } as const, lead: labelled(db, [label]) })),
    ...one('label', anyLabels, () => labelled(db, anyLabels ?? [])),
    ...one('milestone', milestoneIds, () => ({ by: 'milestone' })),
    ...one('poster', person(posterId), () => ({ by: 'poster' })),
    ...one('assignee', person(assigneeId), () => having(db, 'issue_assignee', assigneeId as UserId)),
    ...one('mentioned', person(mentionedId), () => having(db, 'issue_mention', mentionedId as UserId)),
  ]
}

const isOfFilter =
  ({ isPull, isClosed }: RepoFilter) =>
  (part: Part): boolean =>
    isPull.includes(part.isPull) && (isClosed === undefined || isClosed === part.isClosed)

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { total }) => sum + total, 0)

/** Everything that a filter asks for beside kind and state, the rarest first. */
async function askedOf(db: Db, filter: RepoFilter, all: readonly Part[]): Promise<Asked[]> {
  const counted = tallied(db, filter)
  const { sinceUnix, beforeUnix, words, scope } = filter
  const hasTimes = sinceUnix !== undefined || beforeUnix !== undefined
  const [tallies, changed] = await Promise.all([
    listTallies(
      db,
      scope.repoId,
      counted.map(({ facet }) => facet),
    ),
    hasTimes ? Promise.all(all.map((part) => countChanged(db, filter, part))) : [],
  ])
  const asked = counted.map(({ lead, facet }, index): Asked => {
    const parts = (tallies[index] ?? []).filter(isOfFilter(filter))
    return { lead, parts, total: sumOf(parts), isExact: facet.facet !== 'label' || facet.keys.length === 1 }
  })
  if (hasTimes) asked.push({ lead: { by: 'times' }, parts: changed, total: sumOf(changed), isExact: true })
  const found = words && wordSets(db, words, wordScope(filter)).found
  if (found) asked.push({ lead: { by: 'ids', ids: found }, parts: undefined, total: 0, isExact: false })
  return asked.sort((one, other) => one.total - other.total)
}

/** How many of a kind and state changed in a time. Where most did, those that did not are counted. */
async function countChanged(db: Db, filter: RepoFilter, part: Part): Promise<Part> {
  const { scope, sinceUnix, beforeUnix } = filter
  const between = (since: Unix | undefined, before: Unix | undefined) =>
    branchOf(db, { scope, isPull: [part.isPull], sinceUnix: since, beforeUnix: before }, { by: 'times' }, [], part)
  const at = sinceUnix ?? beforeUnix
  if (at === undefined || (sinceUnix !== undefined && beforeUnix !== undefined)) {
    return { ...part, total: await countRows(db, [between(sinceUnix, beforeUnix)], undefined) }
  }
  const ends = between(undefined, undefined).clearSelect().select('issue.updated_unix').limit(1)
  const [first, last] = await Promise.all([
    ends.orderBy('issue.updated_unix').executeTakeFirst(),
    ends.orderBy('issue.updated_unix', 'desc').executeTakeFirst(),
  ])
  if (!first || !last) return { ...part, total: 0 }
  const isLater = at > (first.updated_unix + last.updated_unix) / 2
  const isMost = isLater === (beforeUnix !== undefined)
  if (!isMost) return { ...part, total: await countRows(db, [between(sinceUnix, beforeUnix)], undefined) }
  const rest =
    sinceUnix === undefined ? between((beforeUnix as number) + 1, undefined) : between(undefined, sinceUnix - 1)
  return { ...part, total: Math.max(0, part.total - (await countRows(db, [rest], undefined))) }
}

type Order = ReturnType<typeof orderOf>
/** What an order compares is at hand in every branch, so that branches in order can be merged. */
type Branch = ReturnType<typeof branchOf>
/** A kind and a state that a branch is limited to; nothing: all that are asked for. */
type OfPart = Partial<Pick<Part, 'isPull' | 'isClosed'>>

function branchOf(db: Db, filter: RepoFilter, lead: Lead, order: Order, { isPull, isClosed }: OfPart) {
  const column = (name: 'repo_id' | 'is_pull' | 'is_closed', isUsed: boolean) =>
    isUsed ? sql.ref(`issue.${name}`) : passedOver(db, name)
  const isColumns = lead.by !== 'ids'
  return db
    .selectFrom('issue')
    .select(['issue.id', 'issue.repo_id'])
    .select(order.filter(({ name }) => name !== 'id').map(({ name, value }) => value.as(name)))
    .where((where) =>
      where.and([
        // SQLite would plan a statement anew for each value of a bare argument, since the table has an index with a condition.
        sql<SqlBool>`${column('repo_id', isColumns && lead.by !== 'milestone')} = ${filter.scope.repoId} + 0`,
        ...(isPull === undefined ? [] : [sql<SqlBool>`${column('is_pull', isColumns)} = ${sql.lit(isPull)}`]),
        ...(isClosed === undefined ? [] : [sql<SqlBool>`${column('is_closed', isColumns)} = ${sql.lit(isClosed)}`]),
        ...conditions(db, where, filter, lead),
      ]),
    )
}

/** The rows of a filter in parts, each of which an index has in the order. */
function branchesOf(db: Db, filter: RepoFilter, lead: Lead, order: Order, parts: readonly Part[]): readonly Branch[] {
  if (lead.by !== 'ids') return parts.map((part) => branchOf(db, filter, lead, order, part))
  const [isPull] = filter.isPull
  return [
    branchOf(db, filter, lead, order, {
      ...(filter.isPull.length === 1 && isPull !== undefined ? { isPull } : {}),
      ...(filter.isClosed === undefined ? {} : { isClosed: filter.isClosed }),
    }),
  ]
}

/** @param atMost where counting ends, undefined: nowhere */
async function countRows(db: Db, branches: readonly Branch[], atMost: number | undefined): Promise<number> {
  const counts = await Promise.all(
    branches.map(async (branch) => {
      const rows = branch.clearSelect().select(sql.lit(1).as('one'))
      const { count } = await db
        .selectFrom((atMost === undefined ? rows : rows.limit(atMost)).as('found'))
        .select((each) => each.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    }),
  )
  const sum = counts.reduce((one, other) => one + other, 0)
  return atMost === undefined ? sum : Math.min(sum, atMost)
}

/** Of more issues that only going through them could count, the total is this. */
const countedAtMost = 10_000
/** Issues that are rather gone through and sorted than found by what they are sorted by. */
const soonSorted = 300
/** How much cheaper it is to pass over a row in an index than to look one up and sort it, to be on the safe side. */
const safety = 4

/** One page of the issues of a repository that a filter leaves, and how many there are. */
async function findInRepo(db: Db, filter: RepoFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  const order = orderOf(sort)
  const all = (await listParts(db, filter.scope.repoId)).filter((part) => part.total > 0 && isOfFilter(filter)(part))
  const asked = await askedOf(db, filter, all)
  // What is in no part of a thing that is asked for is not there.
  const parts = asked.reduce(
    (left, { parts: have }) =>
      have === undefined
        ? left
        : left.filter((part) =>
            have.some((each) => each.isPull === part.isPull && each.isClosed === part.isClosed && each.total > 0),
          ),
    all,
  )
  if (parts.length === 0) return { places: [], total: 0 }
  const [rarest] = asked
  const lead = leadOf(filter, sort, page, asked, parts)
  const isCounted = asked.length === 0 ? filter.words === undefined : asked.length === 1 && rarest?.isExact
  const total = isCounted
    ? sumOf(rarest?.parts ?? parts)
    : await countRows(db, branchesOf(db, filter, rarest?.lead ?? lead, [], parts), countedAtMost)
  if (page.offset >= total) return { places: [], total }
  return {
    places: await ordered(branchesOf(db, filter, lead, order, parts), order, page, isCounted ? total : undefined),
    total,
  }
}

/**
 * By what a page is found: by the rarest thing asked for, whose rows are then sorted, or in the order, passing over rows
 * until the page is full. Some indexes have both.
 */
function leadOf(
  filter: RepoFilter,
  sort: IssueSort,
  page: Page,
  asked: readonly Asked[],
  parts: readonly Part[],
): Lead {
  const [rarest] = asked
  if (!rarest) return { by: 'order' }
  const { lead, total } = rarest
  const isByCreation = sort === 'latest' || sort === 'relevance' || sort === 'oldest'
  const isOneMilestone = lead.by === 'milestone' && filter.milestoneIds?.length === 1
  if (isByCreation && (isOneMilestone || lead.by === 'poster')) return lead
  if (lead.by === 'times' && (sort === 'recentupdate' || sort === 'leastupdate')) return lead
  if (rarest.parts === undefined || total <= soonSorted) return lead
  // Several things at once leave fewer rows than each of them.
  const passed = parts.reduce((sum, part) => {
    const share = asked.reduce((left, each) => left * shareOf(each, part), 1)
    return sum + Math.min(part.total, (page.offset + page.limit) / Math.max(share, 1 / part.total))
  }, 0)
  return passed * safety < total ? { by: 'order' } : lead
}

/** Which share of the issues of a kind and state has what is asked for. */
function shareOf({ parts }: Asked, part: Part): number {
  const have = (parts ?? []).filter((each) => each.isPull === part.isPull && each.isClosed === part.isClosed)
  return Math.min(1, sumOf(have) / part.total)
}

/**
 * The rows of a page of branches that are merged.
 * @param total how many rows there are, when that is known: what is nearer to the end is counted from there
 */
async function ordered(
  branches: readonly Branch[],
  order: Order,
  page: Page,
  total: number | undefined,
): Promise<readonly IssuePlace[]> {
  const [first, ...others] = branches
  if (!first) return []
  const isFromEnd = total !== undefined && page.offset > total / 2
  const limit = isFromEnd ? Math.min(page.limit, total - page.offset) : page.limit
  const merged = others.reduce((one, other) => one.unionAll(other), first)
  const rows = await order
    .reduce(
      (query, { name, direction }) =>
        query.orderBy(sql.ref(name), (direction === 'asc') === isFromEnd ? 'desc' : 'asc'),
      merged,
    )
    .limit(limit)
    .offset(isFromEnd ? total - page.offset - limit : page.offset)
    .execute()
  return isFromEnd ? rows.toReversed() : rows
}

export interface FoundPlaces {
  readonly places: readonly IssuePlace[]
  /** undefined: the repository's own counters say it. */
  readonly total: number | undefined
}

/** One page of the issues that a filter leaves in the order of `sort`, and how many there are. */
export async function findIssuePlaces(db: Db, filter: IssueFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  if (sort === 'latest' && isPlain(filter)) {
    const { repoId } = filter.scope
    const places = await (filter.isClosed === undefined
      ? newestOfAll(db, repoId, page.limit, page.offset)
      : newestOfState(db, repoId, filter.isClosed, page.limit, page.offset))
    return { places, total: undefined }
  }
  if (isOfRepo(filter)) return findInRepo(db, filter, sort, page)
  return findEverywhere(db, filter, page)
}

/** Issues by what is asked for in all repositories that the viewer may see, of one state. */
function visibleOf(db: Db, filter: IssueFilter, lead: Lead, isClosed: boolean) {
  const [kind, ...more] = filter.isPull
  const ofKind =
    kind === undefined || more.length > 0
      ? sql<SqlBool>`((not issue.is_pull and ${reposOf(db, filter.scope as VisibleScope, false)})
          or (issue.is_pull and ${reposOf(db, filter.scope as VisibleScope, true)}))`
      : sql<SqlBool>`(${lead.by === 'ids' ? passedOver(db, 'is_pull') : sql.ref('issue.is_pull')} = ${sql.lit(kind)}
          and ${reposOf(db, filter.scope as VisibleScope, kind)})`
  return (
    db
      .selectFrom('issue')
      // In this order: the repository of each issue that is come to is looked up.
      .crossJoin('repo')
      // Names that neither table has: an order would take those of a table.
      .select(['issue.id as place_id', 'issue.repo_id as place_repo_id', 'issue.created_unix as place_unix'])
      .where((where) =>
        where.and([
          sql<SqlBool>`repo.id = issue.repo_id`,
          sql<SqlBool>`${lead.by === 'ids' ? passedOver(db, 'is_closed') : sql.ref('issue.is_closed')} = ${sql.lit(isClosed)}`,
          ...conditions(db, where as unknown as Builder, filter, lead),
          ofKind,
        ]),
      )
  )
}

/** What the rows of a search in all repositories are found by: few of something, else the order; and what they are counted by. */
async function leadsEverywhere(db: Db, filter: IssueFilter): Promise<{ readonly page: Lead; readonly count: Lead }> {
  const found = filter.words && wordSets(db, filter.words, wordScope(filter)).found
  const both = (lead: Lead) => ({ page: lead, count: lead })
  if (found) return both({ by: 'ids', ids: found })
  if (filter.posterId !== undefined) return both({ by: 'poster' })
  const { assigneeId, mentionedId, anyLabels, reviewAskedOf, reviewedBy } = filter
  const ids = (query: unknown): LeadOfIds => ({ by: 'ids', ids: query as Expression<IssueId> })
  const leads: LeadOfIds[] = [
    ...(assigneeId === undefined ? [] : [having(db, 'issue_assignee', assigneeId)]),
    ...(mentionedId === undefined ? [] : [having(db, 'issue_mention', mentionedId)]),
    ...(anyLabels === undefined ? [] : [labelled(db, anyLabels)]),
    ...(reviewedBy === undefined
      ? []
      : [ids(db.selectFrom('comment').select('issue_id').where('poster_id', '=', reviewedBy))]),
    ...(reviewAskedOf === undefined ? [] : [ids(askedReviews(db, reviewAskedOf))]),
  ]
  const counts = await Promise.all(
    leads.map(async (lead) => {
      const few = sql`select 1 from ${lead.ids} as found limit ${sql.lit(fewEverywhere)}`
      const { rows } = await sql<{ count: number }>`select count(*) as count from (${few}) as counted`.execute(db)
      return rows[0]?.count ?? 0
    }),
  )
  const fewest = counts.reduce((best, count, index) => (count < (counts[best] ?? 0) ? index : best), 0)
  const lead = leads[fewest]
  if (lead === undefined) return both({ by: 'order' })
  return { page: (counts[fewest] ?? 0) < fewEverywhere ? lead : { by: 'order' }, count: lead }
}

const askedReviews = (db: Db, userId: UserId) =>
  db
    .selectFrom('review')
    .select('issue_id')
    .where('type', '=', 'request')
    .where((where) =>
      where.or([
        where('reviewer_id', '=', userId),
        where(
          'reviewer_team_id',
          'in',
          where.selectFrom('team_user').select('team_user.team_id').where('team_user.user_id', '=', userId),
        ),
      ]),
    )

/** Issues of all repositories that are rather sorted than found in the order. */
const fewEverywhere = 3000
/** Of more issues of all repositories the total is this, unless nothing is asked for. */
const countedEverywhere = 5000

async function findEverywhere(db: Db, filter: IssueFilter, page: Page): Promise<FoundPlaces> {
  const states = filter.isClosed === undefined ? [false, true] : [filter.isClosed]
  const counted = await countKept(db, filter, states)
  if (counted === 0) return { places: [], total: 0 }
  const leads = await leadsEverywhere(db, filter)
  const [first, ...others] = states.map((isClosed) => visibleOf(db, filter, leads.page, isClosed))
  if (!first) return { places: [], total: 0 }
  const rowsOf = () => states.map((isClosed) => visibleOf(db, filter, leads.count, isClosed))
  const [rows, total] = await Promise.all([
    others
      .reduce((one, other) => one.unionAll(other), first)
      .orderBy('place_unix', 'desc')
      .orderBy('place_id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    counted ?? countRows(db, rowsOf() as never, countedEverywhere),
  ])
  return { places: rows.map((row) => ({ id: row.place_id, repo_id: row.place_repo_id })), total }
}

/** How many a search in all repositories finds, where rows say it that are kept; undefined where rows have to be counted. */
function countKept(db: Db, filter: IssueFilter, states: readonly boolean[]): Promise<number> | undefined {
  const { scope: _scope, isClosed: _state, isPull: _kinds, posterId, assigneeId, mentionedId, ...others } = filter
  if (Object.values(others).some((value) => value !== undefined)) return undefined
  const people: readonly (readonly [Facet['facet'], UserId | undefined])[] = [
    ['poster', posterId],
    ['assignee', assigneeId],
    ['mentioned', mentionedId],
  ]
  const [asked, ...more] = people.filter(([, id]) => id !== undefined)
  if (more.length > 0) return undefined
  return asked ? countTallied(db, filter, asked[0], asked[1] as UserId, states) : countEverywhere(db, filter, states)
}

/** How many there are of kinds and states that have to do with somebody, by what is kept of each repository. */
async function countTallied(
  db: Db,
  filter: IssueFilter,
  facet: Facet['facet'],
  id: UserId,
  states: readonly boolean[],
): Promise<number> {
  const scope = filter.scope as VisibleScope
  const ofKinds = filter.isPull.map(
    (isPull) => sql`(tally.is_pull = ${sql.lit(isPull)} and ${reposOf(db, scope, isPull)})`,
  )
  const { rows } = await sql<{ count: number | string | null }>`select sum(tally.total) as count
    from issue_tally as tally cross join repo
    where tally.facet = ${facet} and tally.key_id = ${id} and repo.id = tally.repo_id
      and tally.is_closed in (${sql.join(states.map((state) => sql.lit(state)))})
      and (${sql.join(ofKinds, sql` or `)})`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** How many there are of kinds and states, by the counters of the repositories. */
async function countEverywhere(db: Db, filter: IssueFilter, states: readonly boolean[]): Promise<number> {
  const scope = filter.scope as VisibleScope
  const counts = await Promise.all(
    filter.isPull.map(async (isPull) => {
      const [total, closed] = isPull
        ? ['repo.num_pulls', 'repo.num_closed_pulls']
        : ['repo.num_issues', 'repo.num_closed_issues']
      const wanted =
        states.length === 2 ? sql.ref(total) : states[0] ? sql.ref(closed) : sql`${sql.ref(total)} - ${sql.ref(closed)}`
      const { rows } = await sql<{ count: number | string | null }>`select sum(${wanted}) as count from repo
        where ${reposOf(db, scope, isPull)}`.execute(db)
      return Number(rows[0]?.count ?? 0)
    }),
  )
  return counts.reduce((one, other) => one + other, 0)
}
