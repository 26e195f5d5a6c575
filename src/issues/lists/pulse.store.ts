import type { Db } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export type PulseRow = Pick<
  IssueRow,
  'index' | 'title' | 'is_pull' | 'is_closed' | 'created_unix' | 'closed_unix' | 'merged_unix' | 'updated_unix'
>

/** Returns the issues and pull requests of a repository that changed since a time, newest change first. */
export const listChangedSince = (db: Db, repoId: RepoId, sinceUnix: Unix, limit: number): Promise<PulseRow[]> =>
  db
    .selectFrom('issue')
    .select(['index', 'title', 'is_pull', 'is_closed', 'created_unix', 'closed_unix', 'merged_unix', 'updated_unix'])
    .where('repo_id', '=', repoId)
    .where('updated_unix', '>=', sinceUnix)
    .orderBy('updated_unix', 'desc')
    .limit(limit)
    .execute()
