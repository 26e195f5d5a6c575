import type { Db } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { UserId } from '../../lib/ids.ts'

/** A fork of the repository that the account owns, or the repository's origin when the account owns it. */
export const findRelative = (
  db: Db,
  repo: Pick<RepoRow, 'id' | 'fork_id'>,
  ownerId: UserId,
): Promise<RepoRow | undefined> =>
  db
    .selectFrom('repo')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where((where) =>
      where.or([where('fork_id', '=', repo.id), ...(repo.fork_id === null ? [] : [where('id', '=', repo.fork_id)])]),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
