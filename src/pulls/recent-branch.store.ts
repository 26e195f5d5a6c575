import { bytewise } from '../db/bytewise.ts'
import type { Db } from '../db/database.ts'
import type { BranchRow } from '../db/tables/repositories.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Branches that are offered at once. */
const offeredAtMost = 3

/**
 * Returns the branches that an account pushed and committed to since a time, the newest first, without those that have a
 * pull request in the base. An index finds the branches by the time of their commits.
 */
export const listPushedSince = (
  db: Db,
  baseId: RepoId,
  repoIds: readonly RepoId[],
  pusherId: UserId,
  since: Unix,
): Promise<BranchRow[]> =>
  db
    .selectFrom('branch')
    .selectAll()
    .where('repo_id', 'in', repoIds)
    .where('is_deleted', '=', false)
    .where('commit_unix', '>=', since)
    .where('updated_unix', '>=', since)
    .where('pusher_id', '=', pusherId)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('pull')
            .select('pull.id')
            .whereRef('pull.head_repo_id', '=', 'branch.repo_id')
            .whereRef('pull.head_branch', '=', 'branch.name')
            .where('pull.repo_id', '=', baseId),
        ),
      ),
    )
    .orderBy('updated_unix', 'desc')
    .orderBy(bytewise(db, 'name'))
    .limit(offeredAtMost)
    .execute()
