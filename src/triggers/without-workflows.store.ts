import type { Db, Tx } from '../db/database.ts'
import { preparedQueries } from '../db/prepared.ts'
import type { Oid, RepoId } from '../lib/ids.ts'

const none = preparedQueries((db: Db, repoId: RepoId) => ({
  found: db
    .selectFrom('repo')
    .leftJoin('repo_without_workflows as known', 'known.repo_id', 'repo.id')
    .leftJoin('branch', (join) =>
      join.onRef('branch.repo_id', '=', 'repo.id').onRef('branch.name', '=', 'repo.default_branch'),
    )
    .select('repo.id')
    .where('repo.id', '=', repoId)
    .where((row) =>
      row.or([
        row('repo.is_empty', '=', true),
        row.and([row('branch.is_deleted', '=', false), row('branch.commit_oid', '=', row.ref('known.commit_oid'))]),
      ]),
    ),
}))

/** Returns whether the repository is empty, or the recorded commit of its default branch is known to have no workflows. */
export const hasNoWorkflows = async (db: Db | Tx, repoId: RepoId): Promise<boolean> =>
  (await none(db, repoId)).found.length > 0

/** Records that a commit of the default branch has no workflows. */
export async function upsertWithoutWorkflows(tx: Tx, repoId: RepoId, commit: Oid): Promise<void> {
  await tx
    .insertInto('repo_without_workflows')
    .values({ repo_id: repoId, commit_oid: commit })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet({ commit_oid: commit }))
    .execute()
}
