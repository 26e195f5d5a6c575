import type { Db } from '../../db/database.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { RepoId } from '../../lib/ids.ts'

/**
 * Returns the failed runs that no newer run of their workflow and reference replaces, the newest first. An index finds
 * the failed runs of each repository, and another one the newer runs.
 */
export const listFailingRuns = (db: Db, repoIds: readonly RepoId[], limit: number): Promise<ActionRunRow[]> =>
  db
    .selectFrom('action_run as run')
    .selectAll('run')
    .where('run.repo_id', 'in', repoIds)
    .where('run.status', '=', 'failure')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('action_run as newer')
            .select('newer.id')
            .whereRef('newer.repo_id', '=', 'run.repo_id')
            .whereRef('newer.workflow_id', '=', 'run.workflow_id')
            .whereRef('newer.ref', '=', 'run.ref')
            .whereRef('newer.id', '>', 'run.id'),
        ),
      ),
    )
    .orderBy('run.id', 'desc')
    .limit(limit)
    .execute()
