import { visibleTo } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

/** The owner and the name of a repository in lower case. */
export interface LowerNames {
  readonly owner: string
  readonly name: string
}

const repos = (db: Db) =>
  db.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id').selectAll('repo')

/** Returns the pinned repositories of an account that the viewer sees, in their order. An organization pins only its own. */
export function listPinnedRepos(db: Db, subject: UserRow, viewer: Viewer | undefined): Promise<RepoRow[]> {
  const pinned = visibleTo(repos(db), viewer)
    .innerJoin('pinned_repo', 'pinned_repo.repo_id', 'repo.id')
    .where('pinned_repo.user_id', '=', subject.id)
    .orderBy('pinned_repo.position')
  return (subject.kind === 'organization' ? pinned.where('repo.owner_id', '=', subject.id) : pinned).execute()
}

/** Returns the named repositories that the viewer sees, in no order. */
export const listNamedRepos = (
  db: Db,
  names: readonly LowerNames[],
  viewer: Viewer,
): Promise<(RepoRow & { readonly owner_lower_name: string })[]> =>
  visibleTo(
    repos(db)
      .select('owner.lower_name as owner_lower_name')
      .where((where) =>
        where.or(
          names.map(({ owner, name }) =>
            where.and([where('owner.lower_name', '=', owner), where('repo.lower_name', '=', name)]),
          ),
        ),
      ),
    viewer,
  ).execute()

/** Replaces the pinned repositories of an account. The lock of its row orders concurrent calls. */
export async function replacePinnedRepos(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void> {
  await tx.selectFrom('user').select('id').where('id', '=', userId).forUpdate().execute()
  await tx.deleteFrom('pinned_repo').where('user_id', '=', userId).execute()
  if (repoIds.length === 0) return
  await tx
    .insertInto('pinned_repo')
    .values(repoIds.map((repo_id, position) => ({ user_id: userId, repo_id, position })))
    .execute()
}
