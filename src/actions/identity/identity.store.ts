import type { Db } from '../../db/database.ts'
import type { TaskId } from '../../lib/ids.ts'

/** Returns the properties of a task that its identity token contains. */
export const findIdentity = (db: Db, taskId: TaskId) =>
  db
    .selectFrom('action_task')
    .innerJoin('action_run', 'action_run.id', 'action_task.run_id')
    .innerJoin('repo', 'repo.id', 'action_task.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .innerJoin('user as actor', 'actor.id', 'action_run.doer_id')
    .select([
      'action_task.attempt',
      'action_run.id as runId',
      'action_run.number',
      'action_run.ref',
      'action_run.commit_oid as sha',
      'action_run.event',
      'action_run.base_ref as baseRef',
      'action_run.head_ref as headRef',
      'action_run.workflow_id as workflowId',
      'action_run.workflow_name as workflowName',
      'repo.id as repoId',
      'repo.name as repoName',
      'repo.is_private as isPrivate',
      'owner.id as ownerId',
      'owner.name as ownerName',
      'actor.id as actorId',
      'actor.name as actorName',
    ])
    .where('action_task.id', '=', taskId)
    .executeTakeFirst()
