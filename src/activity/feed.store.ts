import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import {
  findHidden,
  isNotHidden,
  isReadable,
  type HiddenRepos,
  type Reading,
} from '../access/conditions/reading.store.ts'
import { teamHoldsRepo } from '../access/conditions/team-holds.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { mergedPage } from '../db/merged-page.ts'
import { eachOnce } from '../db/each-once.ts'
import { idList, idListText } from '../db/id-list.ts'
import { stepByStep } from '../db/steps.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { ActRow } from '../db/tables/activity.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import { pluck } from '../lib/pluck.ts'
import type { ActId, ReleaseId, RepoId, ReviewId, TeamId, UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { loadComments } from '../issues/timeline-entry.store.ts'
import { loadUsers } from '../users/user.store.ts'

/** The scope of a feed. */
export type FeedSource =
  /** Acts by the account and, unless `ownActsOnly`, acts by other accounts in its repositories. */
  | { readonly of: 'account'; readonly id: UserId; readonly ownActsOnly: boolean }
  | { readonly of: 'owner'; readonly id: UserId }
  /** Acts in the repositories of an organization that a team holds. */
  | { readonly of: 'team'; readonly id: TeamId; readonly orgId: UserId }
  | { readonly of: 'repository'; readonly id: RepoId }

export interface FeedFilter {
  readonly source: FeedSource
  /** Only acts from `from` to before `before`. */
  readonly during?: { readonly from: Unix; readonly before: Unix } | undefined
}

/** A disjoint part of a feed. One index contains its acts in feed order. */
type Share = { readonly by: UserId } | { readonly ownedBy: UserId; readonly butBy?: UserId } | { readonly in: RepoId }

function sharesOf(source: FeedSource): readonly Share[] {
  switch (source.of) {
    case 'account': {
      const own = { by: source.id }
      return source.ownActsOnly ? [own] : [own, { ownedBy: source.id, butBy: source.id }]
    }
    case 'owner':
      return [{ ownedBy: source.id }]
    case 'team':
      return [{ ownedBy: source.orgId }]
    case 'repository':
      return [{ in: source.id }]
  }
}

/** The columns that decide which viewers may read an act. */
export const reading: Reading = {
  repo: 'activity.repo_id',
  word: 'activity.unit',
  units: { code: 'code', issues: 'issues', pulls: 'pulls', releases: 'releases', '': undefined },
}

/** Returns the condition that the viewer sees acts of the actor: guests only of public accounts (contract, organizations: feeds). */
const seenActors = (viewer: Viewer | undefined): RawBuilder<SqlBool> =>
  viewer && !viewer.limit.publicOnly
    ? sql<SqlBool>`"user".visibility <> 'private'`
    : sql<SqlBool>`"user".visibility = 'public'`

/**
 * Returns the condition that the viewer may read an act now: its subject is readable, and its actor does not hide it.
 * For queries of `activity` joined with `repo`, the repository's `owner` and the actor as `user`.
 */
function isReadableBy(viewer: Viewer | undefined): RawBuilder<SqlBool> {
  const mayKnow = isReadable(viewer, reading)
  if (viewer?.isAdmin) return mayKnow
  const isOwn = viewer ? sql`"user".id = ${viewer.id}` : sql`${sql.lit(false)}`
  return sql<SqlBool>`(${mayKnow} and (${isOwn} or (not "user".hide_activity and ${seenActors(viewer)})))`
}

/** Returns the condition that the actor does not hide the act from the viewer. It needs only columns of `activity`. */
export function isOfSeenActor(viewer: Viewer | undefined): RawBuilder<SqlBool> {
  if (viewer?.isAdmin) return sql<SqlBool>`${sql.lit(true)}`
  const isAnother = viewer ? sql`"user".id <> ${viewer.id}` : sql`${sql.lit(true)}`
  // The first condition matches that of a partial index.
  return sql<SqlBool>`activity.actor_id not in (select "user".id from "user"
    where ("user".hide_activity or "user".visibility <> 'public')
      and ("user".hide_activity or not ${seenActors(viewer)}) and ${isAnother})`
}

type During = FeedFilter['during']

/** Returns the condition that a row of `activity` is in the share. */
function isOf(share: Share, during: During): RawBuilder<SqlBool> {
  const whose =
    'by' in share
      ? sql`activity.actor_id = ${share.by}`
      : 'in' in share
        ? sql`activity.repo_id = ${share.in}`
        : share.butBy === undefined
          ? sql`activity.owner_id = ${share.ownedBy}`
          : sql`activity.owner_id = ${share.ownedBy} and activity.actor_id <> ${share.butBy}`
  return during
    ? sql<SqlBool>`(${whose} and activity.created_unix >= ${during.from} and activity.created_unix < ${during.before})`
    : sql<SqlBool>`(${whose})`
}

/** Returns the condition that the team holds a row of `repo`. */
const isHeldBy = (team: TeamId): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from team where team.id = ${team} and ${teamHoldsRepo('repo.id')})`

const teamOf = (source: FeedSource): RawBuilder<SqlBool> | undefined =>
  source.of === 'team' ? isHeldBy(source.id) : undefined

/** Returns a query of the ids of the repositories in a feed. */
function reposIn(source: FeedSource): RawBuilder<unknown> {
  if (source.of === 'repository') return sql`(select cast(${source.id} as bigint) as id)`
  const repoIds = sharesOf(source).flatMap((share) => {
    if ('in' in share) return []
    const isWanted = 'by' in share ? sql<SqlBool>`actor_id = ${share.by}` : sql<SqlBool>`owner_id = ${share.ownedBy}`
    return sql`select id from ${eachOnce('activity', 'repo_id', isWanted)} as found`
  })
  return sql`(${sql.join(repoIds, sql` union all `)})`
}

/**
 * Returns a query of the acts in a share that the viewer may read.
 * @param hidden the hidden rows; undefined: the query checks each act
 * @param among only acts in these repositories
 */
function shown(
  db: Db,
  viewer: Viewer | undefined,
  { source, during }: FeedFilter,
  share: Share,
  hidden: HiddenRepos | undefined,
  among?: readonly RepoId[],
) {
  const acts = db
    .selectFrom(sql<ActRow>`${among ? actsIn(db, among) : sql.table('activity')}`.as('activity'))
    .select(['activity.id as act_id', 'activity.created_unix as act_unix'])
    .where(isOf(share, during))
  if (hidden) return acts.where(isNotHidden(db, reading, hidden)).where(isOfSeenActor(viewer))
  const query = acts
    .innerJoin('repo', 'repo.id', 'activity.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user', 'user.id', 'activity.actor_id')
    .where(isReadableBy(viewer))
  const team = teamOf(source)
  return (team ? query.where(team) : query) as unknown as typeof acts
}

/** Largest number of readable acts that are sorted. With more, an index scan in feed order skips the hidden ones. */
const soonSorted = 20_000

/**
 * Returns the acts in the given repositories, read repository by repository. Otherwise PostgreSQL, which assumes that each
 * repository has the same number of acts, reads all acts.
 */
const actsIn = (db: Db, repoIds: readonly RepoId[]): RawBuilder<unknown> =>
  sql`(select activity.* ${stepByStep(
    db,
    { table: 'place', rows: idList(db, idListText(repoIds)), where: sql<SqlBool>`1 = 1` },
    { table: 'activity', where: sql<SqlBool>`activity.repo_id = place.value` },
  )})`

/**
 * Returns the readable repositories of an owner's feed when reading and sorting their acts is cheaper than an index scan
 * in feed order. The scan passes the acts of hidden repositories, at half a millisecond for each thousand on PostgreSQL.
 * Undefined: use the scan.
 */
async function findAmong(
  db: Db,
  { source }: FeedFilter,
  { repoIds, byWord }: HiddenRepos,
): Promise<readonly RepoId[] | undefined> {
  const lists = Object.keys(reading.units).map((word) => new Set(byWord.get(word)))
  const open = [...repoIds].filter((repoId) => !lists.every((list) => list.has(repoId)))
  if (open.length === 0) return open
  const isOfOwner = source.of === 'owner' || source.of === 'team'
  if (open.length === repoIds.size || !isOfOwner) return undefined
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 as one from ${actsIn(db, open)} as act limit ${sql.lit(soonSorted + 1)}) as found`.execute(db)
  return (rows[0]?.count ?? 0) <= soonSorted ? open : undefined
}

/** Largest number of acts that are counted. */
const countedAtMost = 5000

type Acts = ReturnType<typeof shown>

/** Newest first. */
const order = [
  { name: 'act_unix', direction: 'desc' },
  { name: 'act_id', direction: 'desc' },
] as const

const pageIds = async (db: Db, parts: readonly Acts[], page: Page): Promise<ActId[]> => {
  const rows = await mergedPage(db, parts, order, page).execute()
  return rows.map((row) => row.act_id)
}

/** Returns one page of a feed, newest first by second, and the number of acts, counted up to `countedAtMost`. */
export async function findActs(
  db: Db,
  viewer: Viewer | undefined,
  filter: FeedFilter,
  page: Page,
): Promise<{ readonly acts: ActRow[]; readonly total: number; readonly bound?: Bound | undefined }> {
  const { source } = filter
  const hidden = await findHidden(db, viewer, reading, reposIn(source), teamOf(source))
  const among = hidden && (await findAmong(db, filter, hidden))
  if (among?.length === 0) return { acts: [], total: 0 }
  const parts = sharesOf(source).map((share) => shown(db, viewer, filter, share, hidden, among))
  const [ids, ...counts] = await Promise.all([
    pageIds(db, parts, page),
    ...parts.map((part) =>
      db
        .selectFrom(part.limit(countedAtMost + 1).as('counted'))
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    ),
  ])
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const bound = total > countedAtMost ? 'total' : undefined
  return { acts: await loadActs(db, ids, hidden), total: Math.min(total, countedAtMost), bound }
}

/** Returns the newest acts of a feed. Checks each act, so it suits feeds with few acts, such as those of a short time. */
export async function listActs(
  db: Db,
  viewer: Viewer | undefined,
  filter: FeedFilter,
  limit: number,
): Promise<ActRow[]> {
  const parts = sharesOf(filter.source).map((share) => shown(db, viewer, filter, share, undefined))
  const ids = await pageIds(db, parts, { number: 1, limit, offset: 0 })
  return loadActs(db, ids, undefined)
}

/** Returns acts in the order of the ids, without those in repositories that `findHidden` did not check. */
export async function loadActs(db: Db, ids: readonly ActId[], hidden: HiddenRepos | undefined): Promise<ActRow[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('activity')
    .selectAll()
    .where('id', 'in', idList(db, idListText(ids)) as Expression<ActId>)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? []).filter((act) => hidden?.repoIds.has(act.repo_id) ?? true)
}

/** Counts the acts of an account since a time that the viewer may read, by cell of time, earliest first. */
export async function countInCells(
  db: Db,
  viewer: Viewer | undefined,
  userId: UserId,
  { since, cellSeconds }: { readonly since: Unix; readonly cellSeconds: number },
): Promise<{ readonly cell: Unix; readonly count: number }[]> {
  const cell = sql<Unix>`activity.created_unix - activity.created_unix % ${sql.lit(cellSeconds)}`
  const rows = await db
    .selectFrom(
      db
        .selectFrom('activity')
        .select((select) => ['repo_id', 'unit', 'actor_id', cell.as('cell'), select.fn.countAll<number>().as('count')])
        .where('actor_id', '=', userId)
        .where('created_unix', '>=', since)
        .groupBy(['repo_id', 'unit', 'actor_id', cell])
        .as('activity'),
    )
    .innerJoin('repo', 'repo.id', 'activity.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user', 'user.id', 'activity.actor_id')
    .select((select) => ['activity.cell', select.fn.sum<number | string>('activity.count').as('count')])
    .where(isReadableBy(viewer))
    .groupBy('activity.cell')
    .orderBy('activity.cell')
    .execute()
  return rows.map((row) => ({ cell: row.cell, count: Number(row.count) }))
}

/** Returns releases by id. */
async function loadReleases(
  db: Db,
  ids: readonly ReleaseId[],
): Promise<ReadonlyMap<ReleaseId, Pick<ReleaseRow, 'tag_name' | 'title'>>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('release')
    .select(['id', 'tag_name', 'title'])
    .where('id', 'in', idList(db, idListText(ids)) as Expression<ReleaseId>)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the login of the author of each review. */
export async function loadReviewers(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('review')
    .innerJoin('user', 'user.id', 'review.reviewer_id')
    .select(['review.id', 'user.name'])
    .where('review.id', 'in', idList(db, idListText(ids)) as Expression<ReviewId>)
    .execute()
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** The rows that an act names. */
export interface ActSubjects {
  readonly actor: UserRow
  readonly issue: IssueRow | undefined
  readonly comment: CommentRow | undefined
  readonly release: Pick<ReleaseRow, 'tag_name' | 'title'> | undefined
}

/** Loads what acts name, with one statement for each kind of row. */
export async function loadSubjects(db: Db, acts: readonly ActRow[]) {
  const [users, issues, comments, releases] = await Promise.all([
    loadUsers(db, pluck(acts, 'actor_id')),
    loadIssues(db, pluck(acts, 'issue_id')),
    loadComments(db, pluck(acts, 'comment_id')),
    loadReleases(
      db,
      acts.flatMap((act) => act.release_id ?? []),
    ),
  ])
  /** Returns the rows of one act; undefined when one was deleted after the act was read. */
  const of = (act: ActRow): ActSubjects | undefined => {
    const actor = users.get(act.actor_id)
    const issue = act.issue_id === null ? undefined : issues.get(act.issue_id)
    const comment = act.comment_id === null ? undefined : comments.get(act.comment_id)
    const release = act.release_id === null ? undefined : releases.get(act.release_id)
    if (!actor || (act.issue_id !== null && !issue) || (act.release_id !== null && !release)) return undefined
    return { actor, issue, comment, release }
  }
  return { users, comments, of }
}
