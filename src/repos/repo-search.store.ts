import { teamHoldsRepo } from '../access/team-holds.store.ts'
import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { entranceParts, mayEnter } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { contains, lowerContains } from '../db/like.ts'
import type { Schema } from '../db/schema.ts'
import type { UserTable } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId, TeamId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** Which repositories a list has; what is left out does not limit it. */
export interface RepoFilter {
  /** One of these texts is part of the name (or what is asked for beside it). */
  readonly words?: readonly string[] | undefined
  /** The words are whole names of topics and nothing else. */
  readonly topicsOnly?: boolean | undefined
  readonly alsoDescription?: boolean | undefined
  readonly ownerId?: UserId | undefined
  /** Owned by this account, or it contributes to them: as a collaborator, by a team, in its organizations. */
  readonly contributorId?: UserId | undefined
  /** Not owned by this account. */
  readonly notOwnedBy?: UserId | undefined
  readonly teamId?: TeamId | undefined
  readonly starredBy?: UserId | undefined
  readonly isPrivate?: boolean | undefined
  /** Only public repositories of public owners. */
  readonly publicOwnersOnly?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  readonly isArchived?: boolean | undefined
  readonly isFork?: boolean | undefined
  readonly isMirror?: boolean | undefined
  readonly forkId?: RepoId | undefined
}

export type RepoOrder =
  | 'name'
  | 'alpha'
  | 'created'
  | 'updated'
  | 'size'
  | 'git_size'
  | 'lfs_size'
  | 'stars'
  | 'forks'
  | 'id'

export interface RepoSort {
  readonly by: RepoOrder
  readonly descending: boolean
  /** The repositories of this account come first, the others by owner. */
  readonly firstOwnerId?: UserId | undefined
}

type Selected = SelectQueryBuilder<Schema & { owner: UserTable }, 'repo' | 'owner', { repo_id: RepoId }>

/** What an order compares; an index has it behind each audience. */
const orderColumns: Readonly<Record<RepoOrder, readonly string[]>> = {
  name: ['repo.lower_name'],
  alpha: ['owner.lower_name', 'repo.lower_name'],
  created: ['repo.created_unix'],
  updated: ['repo.updated_unix'],
  size: [],
  git_size: ['repo.git_size_bytes'],
  lfs_size: ['repo.lfs_size_bytes'],
  stars: ['repo.num_stars'],
  forks: ['repo.num_forks'],
  id: [],
}
const wholeSize = sql<number>`(repo.git_size_bytes + repo.lfs_size_bytes)`

/** The numbers and texts that a sort compares, in their order, before the id. */
const keysOf = ({ by, firstOwnerId }: RepoSort): Expression<unknown>[] => [
  ...(firstOwnerId === undefined
    ? []
    : [sql`case when repo.owner_id = ${firstOwnerId} then 0 else 1 end`, sql.ref('repo.owner_id')]),
  ...(by === 'size' ? [wholeSize] : orderColumns[by].map((column) => sql.ref(column))),
]

/** Whether it is a few repositories that are asked for, which are rather sorted than found in an order. */
const isNarrow = ({ ownerId, contributorId, teamId, starredBy, forkId }: RepoFilter): boolean =>
  [ownerId, contributorId, teamId, starredBy, forkId].some((id) => id !== undefined)

/** Repositories by what is asked for, with their owners where these are needed. */
function matching(db: Db, filter: RepoFilter, withOwner: boolean): Selected {
  const { words = [] } = filter
  const needsOwner = withOwner || words.some((word) => word.includes('/'))
  // From the owners, in the order of their names, where that is what is asked for.
  const from = withOwner
    ? db
        .selectFrom('user as owner')
        .crossJoin('repo')
        .where(sql<SqlBool>`repo.owner_id = owner.id`)
    : needsOwner
      ? db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id')
      : db.selectFrom('repo')
  let query = (from as unknown as Selected).select('repo.id as repo_id') as Selected
  if (words.length > 0) query = query.where((where) => where.or(words.flatMap((word) => holdsWord(db, filter, word))))
  if (filter.ownerId !== undefined) query = query.where('repo.owner_id', '=', filter.ownerId)
  if (filter.notOwnedBy !== undefined) query = query.where('repo.owner_id', '!=', filter.notOwnedBy)
  const { contributorId, teamId, starredBy } = filter
  if (contributorId !== undefined) query = query.where(sql<SqlBool>`repo.id in ${contributedTo(contributorId)}`)
  if (teamId !== undefined) {
    query = query.where(sql<SqlBool>`repo.id in (select repo.id from team inner join repo on repo.owner_id = team.org_id
      where team.id = ${teamId} and ${teamHoldsRepo('repo.id')})`)
  }
  if (starredBy !== undefined) {
    query = query.where(sql<SqlBool>`repo.id in (select star.repo_id from star where star.user_id = ${starredBy})`)
  }
  if (filter.publicOwnersOnly) query = query.where(sql<SqlBool>`repo.audience = 0`)
  if (filter.isPrivate !== undefined) query = query.where('repo.is_private', '=', filter.isPrivate)
  if (filter.isTemplate !== undefined) query = query.where('repo.is_template', '=', filter.isTemplate)
  if (filter.isArchived !== undefined) query = query.where('repo.is_archived', '=', filter.isArchived)
  if (filter.isFork !== undefined) query = query.where('repo.is_fork', '=', filter.isFork)
  if (filter.isMirror !== undefined) query = query.where('repo.is_mirror', '=', filter.isMirror)
  if (filter.forkId !== undefined) query = query.where('repo.fork_id', '=', filter.forkId)
  return query
}

/** The word is part of the name or a topic's, or of what else is asked for. */
function holdsWord(db: Db, filter: RepoFilter, word: string): Expression<SqlBool>[] {
  const named = filter.topicsOnly ? sql<boolean>`topic.name = ${word.toLowerCase()}` : lowerContains('topic.name', word)
  const topic = sql<SqlBool>`repo.id in ${db
    .selectFrom('topic')
    .innerJoin('repo_topic', 'repo_topic.topic_id', 'topic.id')
    .select('repo_topic.repo_id')
    .where(named)}`
  if (filter.topicsOnly) return [topic]
  const [owner, name, ...rest] = word.split('/')
  const both =
    owner !== undefined && name !== undefined && rest.length === 0
      ? [sql<SqlBool>`(${lowerContains('owner.lower_name', owner)} and ${lowerContains('repo.lower_name', name)})`]
      : []
  return [
    lowerContains('repo.lower_name', word),
    topic,
    ...both,
    ...(filter.alsoDescription ? [contains('repo.description', word)] : []),
  ]
}

/** Repositories of an account, those it collaborates on, and those of organizations that its teams show it. */
const contributedTo = (userId: UserId) => sql`(
  select repo.id from repo where repo.owner_id = ${userId}
  union select collaboration.repo_id from collaboration where collaboration.user_id = ${userId}
  union select repo.id from team_user inner join team on team.id = team_user.team_id
    inner join repo on repo.owner_id = team.org_id
    where team_user.user_id = ${userId} and (not repo.is_private or ${teamHoldsRepo('repo.id')}))`

/** The same as far as the viewer may see it: in parts that are in order each, or as one where it is sorted anyway. */
const seenParts = (db: Db, filter: RepoFilter, viewer: Viewer | undefined, sort?: RepoSort): readonly Selected[] => {
  const query = matching(db, filter, sort?.by === 'alpha')
  const isSorted = isNarrow(filter) || sort?.firstOwnerId !== undefined
  return isSorted ? [query.where(mayEnter(viewer, 'repo'))] : entranceParts(viewer).map((part) => query.where(part))
}

/** One page of the repositories that the viewer may see. */
export async function searchRepos(
  db: Db,
  filter: RepoFilter,
  viewer: Viewer | undefined,
  sort: RepoSort,
  page: Page,
): Promise<RepoRow[]> {
  const direction = sort.descending ? 'desc' : 'asc'
  const keys = keysOf(sort)
  const [first, ...others] = seenParts(db, filter, viewer, sort).map((part) =>
    part.select(keys.map((key, index) => sql`${key}`.as(`key_${index}`))),
  )
  if (!first) return []
  let query = others.reduce((one, other) => one.unionAll(other), first)
  const isOwnersFirst = sort.firstOwnerId !== undefined
  for (const index of keys.keys()) {
    query = query.orderBy(sql.ref(`key_${index}`), isOwnersFirst && index < 2 ? 'asc' : direction)
  }
  const places = await query.orderBy(sql.ref('repo_id'), direction).limit(page.limit).offset(page.offset).execute()
  if (places.length === 0) return []
  const ids = places.map((place) => place.repo_id)
  const rows = await db.selectFrom('repo').selectAll().where('id', 'in', ids).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

export async function countSearchedRepos(db: Db, filter: RepoFilter, viewer: Viewer | undefined): Promise<number> {
  const counts = await Promise.all(
    seenParts(db, filter, viewer).map((part) =>
      part
        .clearSelect()
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    ),
  )
  return counts.reduce((sum, { count }) => sum + count, 0)
}
