import type { RepoCtx } from '../../access/context.ts'
import { accessToAll } from '../../access/repo-access.ts'
import { pluck } from '../../lib/pluck.ts'
import { loadUsers } from '../../users/user.store.ts'
import { listMaintainedBases } from './maintainer-edit.store.ts'

/**
 * Whether the caller may write a branch as a maintainer: the branch has an open pull request that allows maintainer
 * edits, and the caller may write to its base.
 */
export async function mayEditAsMaintainer(
  ctx: Pick<RepoCtx, 'db' | 'repo' | 'viewer'>,
  branch: string,
): Promise<boolean> {
  const { db, repo, viewer } = ctx
  if (!viewer || branch === '') return false
  const bases = await listMaintainedBases(db, repo.id, branch)
  if (bases.length === 0) return false
  const owners = await loadUsers(db, pluck(bases, 'owner_id'))
  const views = bases.flatMap((base) => {
    const owner = owners.get(base.owner_id)
    return owner ? [{ repo: base, owner }] : []
  })
  const access = await accessToAll(db, viewer, views)
  return [...access.values()].some(({ rights }) => rights.canWrite('code'))
}
