import { sql, type Expression, type SqlBool } from 'kysely'
import { mayReadWhole, teamRepos } from '../access/access-rule.store.ts'
import { teamHoldsRepo } from '../access/team-holds.store.ts'
import type { Db } from '../db/database.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import {
  conditions,
  countRows,
  having,
  labelled,
  passedOver,
  wordScope,
  type Builder,
  type FoundPlaces,
  type IssueFilter,
  type Lead,
  type LeadOfIds,
  type VisibleScope,
} from './issue-filter.store.ts'
import { wordSets } from './issue-words.store.ts'
import type { Facet } from './tally.store.ts'

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

/** One page of the issues that a filter leaves in all repositories that the viewer may see, the newest first. */
export async function findEverywhere(db: Db, filter: IssueFilter, page: Page): Promise<FoundPlaces> {
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
