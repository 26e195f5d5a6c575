import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess } from '../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'

/** Returns the condition that the viewer may read an issue, for queries with `issue`, `repo` and `owner`. It agrees with `mayReadIssue`. */
export const isReadableBy = (viewer: Viewer | undefined): RawBuilder<SqlBool> =>
  sql<SqlBool>`case when issue.is_pull then ${mayAccess(viewer, 'repo', { units: ['pulls'], mode: 1 })}
    else ${mayAccess(viewer, 'repo', { units: ['issues'], mode: 1 })} end`

/** Returns a query of the issues and pull requests that the viewer may read; callers add a narrow filter. */
export const readableIssues = (db: Db, viewer: Viewer | undefined) =>
  db
    .selectFrom('issue')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadableBy(viewer))
