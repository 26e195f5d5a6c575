import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess } from '../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'

/** That the viewer may read an issue: `mayReadIssue` for queries that have `issue`, its `repo` and the repository's `owner`. */
export const isReadableBy = (viewer: Viewer | undefined): RawBuilder<SqlBool> =>
  sql<SqlBool>`case when issue.is_pull then ${mayAccess(viewer, 'repo', { units: ['pulls'], mode: 1 })}
    else ${mayAccess(viewer, 'repo', { units: ['issues'], mode: 1 })} end`

/** Issues and pull requests that the viewer may read, to be narrowed to a few of them. */
export const readableIssues = (db: Db, viewer: Viewer | undefined) =>
  db
    .selectFrom('issue')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadableBy(viewer))
