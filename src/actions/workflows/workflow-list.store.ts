import type { Db, Tx } from '../../db/database.ts'
import { hasRow } from '../../db/rows.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Returns the ids of the disabled workflows of a repository. */
export const listDisabled = async (db: Db | Tx, repoId: RepoId): Promise<ReadonlySet<string>> =>
  new Set(
    (await db.selectFrom('action_disabled_workflow').select('workflow_id').where('repo_id', '=', repoId).execute()).map(
      ({ workflow_id }) => workflow_id,
    ),
  )

export const isDisabled = (db: Db | Tx, repoId: RepoId, workflowId: string): Promise<boolean> =>
  hasRow(db.selectFrom('action_disabled_workflow').where('repo_id', '=', repoId).where('workflow_id', '=', workflowId))

export const insertDisabled = (tx: Tx, repoId: RepoId, workflowId: string, now: Unix) =>
  tx
    .insertInto('action_disabled_workflow')
    .values({ repo_id: repoId, workflow_id: workflowId, created_unix: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const deleteDisabled = (tx: Tx, repoId: RepoId, workflowId: string) =>
  tx
    .deleteFrom('action_disabled_workflow')
    .where('repo_id', '=', repoId)
    .where('workflow_id', '=', workflowId)
    .execute()

/** Returns the status of the newest run of a workflow on a reference, optionally for one trigger. */
export async function findLatestStatus(
  db: Db,
  repoId: RepoId,
  workflowId: string,
  ref: string,
  event: string | undefined,
): Promise<ActionStatus | undefined> {
  const runs = db
    .selectFrom('action_run')
    .select('status')
    .where('repo_id', '=', repoId)
    .where('workflow_id', '=', workflowId)
    .where('ref', '=', ref)
    .$if(event !== undefined, (query) => query.where('event', '=', event ?? ''))
  return (await runs.orderBy('id', 'desc').limit(1).executeTakeFirst())?.status
}
