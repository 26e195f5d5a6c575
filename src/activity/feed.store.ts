import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess, mayEnter } from '../access/access-rule.store.ts'
import { teamHoldsRepo } from '../access/team-holds.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { ActRow } from '../db/tables/activity.ts'
import type { ReleaseRow } from '../db/tables/releases.ts'
import type { ReleaseId, RepoId, ReviewId, TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

/** Whose acts a feed has. */
export type FeedSource =
  /** What the account did, and unless `ownActsOnly` what others did in its repositories. */
  | { readonly of: 'account'; readonly id: UserId; readonly ownActsOnly: boolean }
  | { readonly of: 'owner'; readonly id: UserId }
  /** What was done in the repositories of an organization that a team holds. */
  | { readonly of: 'team'; readonly id: TeamId; readonly orgId: UserId }
  | { readonly of: 'repository'; readonly id: RepoId }

export interface FeedFilter {
  readonly source: FeedSource
  /** Acts of these seconds alone. */
  readonly during?: { readonly from: Unix; readonly before: Unix } | undefined
}

/** Acts of which nobody is in two: each is found in its order by an index of its own. */
type Share =
  | { readonly by: UserId }
  | { readonly ownedBy: UserId; readonly butBy?: UserId }
  | { readonly ownedBy: UserId; readonly butBy?: undefined; readonly team: TeamId }
  | { readonly in: RepoId }

function sharesOf(source: FeedSource): readonly Share[] {
  switch (source.of) {
    case 'account': {
      const own = { by: source.id }
      return source.ownActsOnly ? [own] : [own, { ownedBy: source.id, butBy: source.id }]
    }
    case 'owner':
      return [{ ownedBy: source.id }]
    case 'team':
      return [{ ownedBy: source.orgId, team: source.id }]
    case 'repository':
      return [{ in: source.id }]
  }
}

/**
 * That the viewer may read of an act now, for queries of `activity` joined with its `repo`, the `owner` of that and the
 * actor as `user`: what it is about can be read, and its actor hides nothing from the viewer. Guests see acts of accounts
 * that are public alone (contract, organizations: feeds).
 */
function isReadableBy(viewer: Viewer | undefined): RawBuilder<SqlBool> {
  const reads = (unit: 'code' | 'issues' | 'pulls' | 'releases') =>
    mayAccess(viewer, 'repo', { units: [unit], mode: 1 })
  const mayKnow = sql<SqlBool>`case activity.unit
    when 'code' then ${reads('code')}
    when 'issues' then ${reads('issues')}
    when 'pulls' then ${reads('pulls')}
    when 'releases' then ${reads('releases')}
    else ${mayEnter(viewer, 'repo')} end`
  if (viewer?.isAdmin) return mayKnow
  const seen =
    viewer && !viewer.limit.publicOnly ? sql`"user".visibility <> 'private'` : sql`"user".visibility = 'public'`
  const isOwn = viewer ? sql`"user".id = ${viewer.id}` : sql`${sql.lit(false)}`
  return sql<SqlBool>`(${mayKnow} and (${isOwn} or (not "user".hide_activity and ${seen})))`
}

type During = FeedFilter['during']

/** What of `activity` a share has; told by its own columns. */
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

/** What of it the viewer is shown, for queries that are joined. */
const isShown = (share: Share, viewer: Viewer | undefined): RawBuilder<SqlBool> =>
  'team' in share
    ? sql<SqlBool>`(${isReadableBy(viewer)}
        and exists (select 1 from team where team.id = ${share.team} and ${teamHoldsRepo('repo.id')}))`
    : isReadableBy(viewer)

/** The newest acts of one share, as many as all pages up to this one have. */
const newest = (db: Db, share: Share, { during }: FeedFilter, viewer: Viewer | undefined, page: Page) =>
  db
    .selectFrom('activity')
    .innerJoin('repo', 'repo.id', 'activity.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user', 'user.id', 'activity.actor_id')
    .select(['activity.id', 'activity.created_unix'])
    .where(isOf(share, during))
    .where(isShown(share, viewer))
    .orderBy('activity.created_unix', 'desc')
    .orderBy('activity.id', 'desc')
    .limit(page.offset + page.limit)

/** One page of a feed, newest first by second. */
export async function listActs(db: Db, viewer: Viewer | undefined, filter: FeedFilter, page: Page): Promise<ActRow[]> {
  const [first, second] = sharesOf(filter.source).map((share) => newest(db, share, filter, viewer, page))
  const one = db.selectFrom((first as ReturnType<typeof newest>).as('one')).selectAll()
  const all = second ? one.unionAll(db.selectFrom(second.as('other')).selectAll()) : one
  return db
    .selectFrom(all.as('found'))
    .innerJoin('activity', 'activity.id', 'found.id')
    .selectAll('activity')
    .orderBy('found.created_unix', 'desc')
    .orderBy('found.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

/** How many there are on all pages: access is asked once for each repository, unit and actor, and not for each act. */
export async function countActs(db: Db, viewer: Viewer | undefined, filter: FeedFilter): Promise<number> {
  const counts = await Promise.all(
    sharesOf(filter.source).map((share) =>
      db
        .selectFrom(
          db
            .selectFrom('activity')
            .select((select) => ['repo_id', 'unit', 'actor_id', select.fn.countAll<number>().as('count')])
            .where(isOf(share, filter.during))
            .groupBy(['repo_id', 'unit', 'actor_id'])
            .as('activity'),
        )
        .innerJoin('repo', 'repo.id', 'activity.repo_id')
        .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
        .innerJoin('user', 'user.id', 'activity.actor_id')
        .select((select) => select.fn.sum<number | string | null>('activity.count').as('count'))
        .where(isShown(share, viewer))
        .executeTakeFirstOrThrow(),
    ),
  )
  return counts.reduce((sum, { count }) => sum + Number(count ?? 0), 0)
}

/** How much an account did in each cell of time since a moment, as far as the viewer may know, earliest first. */
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

/** Releases by their ids. */
export async function loadReleases(
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

/** The login of who gave each review. */
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
