import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoId, RunId, UserId } from '../lib/ids.ts'

/** Returns the user who caused a run in a repository of the owner, if the user may still sign in. */
export const findPersonOfRun = (
  db: Db,
  { repoId, runId, ownerId }: { readonly repoId: RepoId; readonly runId: RunId; readonly ownerId: UserId },
): Promise<UserRow | undefined> =>
  db
    .selectFrom('action_run')
    .innerJoin('repo', 'repo.id', 'action_run.repo_id')
    .innerJoin('user', 'user.id', 'action_run.doer_id')
    .selectAll('user')
    .where('action_run.id', '=', runId)
    .where('action_run.is_foreign', '=', false)
    .where('repo.id', '=', repoId)
    .where('repo.owner_id', '=', ownerId)
    .where('user.is_active', '=', true)
    .where('user.prohibit_login', '=', false)
    .executeTakeFirst()
