import type { Ctx, RepoCtx } from '../access/context.ts'
import { accessTo } from '../access/repo-access.ts'
import { refusePrivate } from '../access/requirements.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { NotFound } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { findUserById } from '../users/user.store.ts'
import { findRepoById } from './repo.store.ts'

type RepoParts = Pick<RepoCtx, 'owner' | 'repo' | 'units' | 'rights'>

const noRepo = () => new NotFound('the repository does not exist', 'repo_not_found')

/** The repository with its owner and the viewer's rights; `NotFound` when the viewer may see nothing of it. */
export async function openRepo(ctx: Ctx, owner: UserRow, repo: RepoRow): Promise<RepoParts> {
  const { units, rights } = await accessTo(ctx.db, ctx.viewer, owner, repo)
  if (rights.rank === 0 && !units.some((row) => rights.modeOf(row.unit) > 0)) throw noRepo()
  refusePrivate(ctx.viewer, repo.is_private, 'repos')
  return { owner, repo, units, rights }
}

/** A repository by id that the viewer may see, or `NotFound`. */
export async function getRepoById(ctx: Ctx, id: RepoId): Promise<RepoParts> {
  const repo = await findRepoById(ctx.db, id)
  const owner = repo && (await findUserById(ctx.db, repo.owner_id))
  if (!repo || !owner) throw noRepo()
  return openRepo(ctx, owner, repo)
}
