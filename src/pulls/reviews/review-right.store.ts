import type { Db } from '../../db/database.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** Returns the collaboration of an account in a repository, with any access mode. */
export const findCollaboration = (db: Db, repoId: RepoId, userId: UserId) =>
  db
    .selectFrom('collaboration')
    .select('access_mode')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
