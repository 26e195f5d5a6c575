import { teamHoldsRepo } from '../access/team-holds.store.ts'
import { sql } from 'kysely'
import { visibleTo } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { contains, lowerContains } from '../db/like.ts'
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

function filtered(db: Db, filter: RepoFilter, viewer: Viewer | undefined) {
  let query = visibleTo(db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id'), viewer)
  const { contributorId, words } = filter
  if (words && words.length > 0) {
    query = query.where((where) =>
      where.or(
        words.flatMap((word) => {
          const topic = where.exists(
            where
              .selectFrom('repo_topic')
              .innerJoin('topic', 'topic.id', 'repo_topic.topic_id')
              .select('repo_topic.repo_id')
              .whereRef('repo_topic.repo_id', '=', 'repo.id')
              .where(
                filter.topicsOnly
                  ? sql<boolean>`topic.name = ${word.toLowerCase()}`
                  : lowerContains('topic.name', word),
              ),
          )
          if (filter.topicsOnly) return [topic]
          const [owner, name, ...rest] = word.split('/')
          const both =
            owner !== undefined && name !== undefined && rest.length === 0
              ? [where.and([lowerContains('owner.lower_name', owner), lowerContains('repo.lower_name', name)])]
              : []
          return [
            lowerContains('repo.lower_name', word),
            topic,
            ...both,
            ...(filter.alsoDescription ? [contains('repo.description', word)] : []),
          ]
        }),
      ),
    )
  }
  if (filter.ownerId !== undefined) query = query.where('repo.owner_id', '=', filter.ownerId)
  if (filter.notOwnedBy !== undefined) query = query.where('repo.owner_id', '!=', filter.notOwnedBy)
  if (contributorId !== undefined) {
    query = query.where((where) =>
      where.or([
        where('repo.owner_id', '=', contributorId),
        where.exists(
          where
            .selectFrom('collaboration')
            .select('collaboration.repo_id')
            .whereRef('collaboration.repo_id', '=', 'repo.id')
            .where('collaboration.user_id', '=', contributorId),
        ),
        where.exists(
          where
            .selectFrom('team_user')
            .innerJoin('team', 'team.id', 'team_user.team_id')
            .select('team_user.team_id')
            .where('team_user.user_id', '=', contributorId)
            .whereRef('team.org_id', '=', 'repo.owner_id')
            .where((grant) => grant.or([grant('repo.is_private', '=', false), teamHoldsRepo('repo.id')])),
        ),
      ]),
    )
  }
  const { teamId, starredBy } = filter
  if (teamId !== undefined) {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('team')
          .select('team.id')
          .where('team.id', '=', teamId)
          .whereRef('team.org_id', '=', 'repo.owner_id')
          .where(teamHoldsRepo('repo.id')),
      ),
    )
  }
  if (starredBy !== undefined) {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('star')
          .select('star.repo_id')
          .whereRef('star.repo_id', '=', 'repo.id')
          .where('star.user_id', '=', starredBy),
      ),
    )
  }
  if (filter.publicOwnersOnly) {
    query = query.where('repo.is_private', '=', false).where('owner.visibility', '=', 'public')
  }
  if (filter.isPrivate !== undefined) query = query.where('repo.is_private', '=', filter.isPrivate)
  if (filter.isTemplate !== undefined) query = query.where('repo.is_template', '=', filter.isTemplate)
  if (filter.isArchived !== undefined) query = query.where('repo.is_archived', '=', filter.isArchived)
  if (filter.isFork !== undefined) query = query.where('repo.is_fork', '=', filter.isFork)
  if (filter.isMirror !== undefined) query = query.where('repo.is_mirror', '=', filter.isMirror)
  if (filter.forkId !== undefined) query = query.where('repo.fork_id', '=', filter.forkId)
  return query
}

/** One page of the repositories that the viewer may see. */
export function searchRepos(
  db: Db,
  filter: RepoFilter,
  viewer: Viewer | undefined,
  sort: RepoSort,
  page: Page,
): Promise<RepoRow[]> {
  const direction = sort.descending ? 'desc' : 'asc'
  let query = filtered(db, filter, viewer).selectAll('repo')
  if (sort.firstOwnerId !== undefined) {
    query = query
      .orderBy(sql`case when repo.owner_id = ${sort.firstOwnerId} then 0 else 1 end`)
      .orderBy('repo.owner_id')
  }
  const ordered = (() => {
    switch (sort.by) {
      case 'name':
        return query.orderBy('repo.lower_name', direction)
      case 'alpha':
        return query.orderBy('owner.lower_name', direction).orderBy('repo.lower_name', direction)
      case 'created':
        return query.orderBy('repo.created_unix', direction)
      case 'updated':
        return query.orderBy('repo.updated_unix', direction)
      case 'size':
        return query.orderBy(sql`repo.git_size_bytes + repo.lfs_size_bytes`, direction)
      case 'git_size':
        return query.orderBy('repo.git_size_bytes', direction)
      case 'lfs_size':
        return query.orderBy('repo.lfs_size_bytes', direction)
      case 'stars':
        return query.orderBy('repo.num_stars', direction)
      case 'forks':
        return query.orderBy('repo.num_forks', direction)
      case 'id':
        return query
    }
  })()
  return ordered.orderBy('repo.id', direction).limit(page.limit).offset(page.offset).execute()
}

export const countSearchedRepos = async (db: Db, filter: RepoFilter, viewer: Viewer | undefined): Promise<number> =>
  (
    await filtered(db, filter, viewer)
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
