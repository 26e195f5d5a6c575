import type { Db } from '../db/database.ts'
import type { Oid, RepoId } from '../lib/ids.ts'

/** Lists the pull requests that these commits merged, by number. */
export const listPullsMergedBy = (db: Db, repoId: RepoId, oids: readonly Oid[]) =>
  db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .innerJoin('user', 'user.id', 'issue.poster_id')
    .select(['issue.index as number', 'issue.title', 'user.name as poster'])
    .where('pull.repo_id', '=', repoId)
    .where('pull.merge_oid', 'in', oids)
    .orderBy('issue.index')
    .execute()
