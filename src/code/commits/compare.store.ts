import type { Db } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { UserId } from '../../lib/ids.ts'

/**
 * Returns the fork of the repository that the account owns, or the repository's origin when the account owns it. Of several,
 * one of the same name comes first.
 */
export const findRelative = (
  db: Db,
  repo: Pick<RepoRow, 'id' | 'fork_id' | 'lower_name'>,
  ownerId: UserId,
): Promise<RepoRow | undefined> =>
  db
    .selectFrom('repo')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where((where) =>
      where.or([where('fork_id', '=', repo.id), ...(repo.fork_id === null ? [] : [where('id', '=', repo.fork_id)])]),
    )
    .orderBy((where) => where.case().when('lower_name', '=', repo.lower_name).then(0).else(1).end())
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
