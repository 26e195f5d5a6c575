import { mayAccess } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Returns those of the repositories whose code the viewer may read. */
export const listReposWithReadableCode = (
  db: Db,
  viewer: Viewer | undefined,
  ids: readonly RepoId[],
): Promise<readonly { readonly id: RepoId }[]> =>
  db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('repo.id')
    .where('repo.id', 'in', ids)
    .where(mayAccess(viewer, 'repo', { units: ['code'], mode: 1 }))
    .execute()
