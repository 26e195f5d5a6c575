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

/**
 * Whether a repository is empty, or its default branch, as it is recorded, at the commit of which it was found out that it has
 * no workflows.
 */
export const isKnownToHaveNone = async (db: Db | Tx, repoId: RepoId): Promise<boolean> =>
  (await none(db, repoId)).found.length > 0

/** Files that a commit of the default branch has no workflows. What a commit has never changes. */
export async function upsertWithoutWorkflows(tx: Tx, repoId: RepoId, commit: Oid): Promise<void> {
  await tx
    .insertInto('repo_without_workflows')
    .values({ repo_id: repoId, commit_oid: commit })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet({ commit_oid: commit }))
    .execute()
}
