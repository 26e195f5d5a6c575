import type { Db } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** Somebody's part in a repository, in whatever rank. */
export const findCollaboration = (db: Db, repoId: RepoId, userId: UserId) =>
  db
    .selectFrom('collaboration')
    .select('access_mode')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
