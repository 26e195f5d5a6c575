import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteStar, insertStar, isStarred, listStargazers } from './star.store.ts'

/** Throws `NotFound` unless the viewer has starred the repository. */
export async function checkStar(ctx: SignedInRepoCtx): Promise<void> {
  if (!(await isStarred(ctx.db, ctx.repo.id, ctx.viewer.id))) {
    throw new NotFound('the repository is not starred', 'not_starred')
  }
}

export const star = (ctx: SignedInRepoCtx): Promise<void> =>
  transaction(ctx.db, (tx) => insertStar(tx, ctx.repo.id, ctx.viewer.id, nowUnix(ctx.clock)))

export const unstar = (ctx: SignedInRepoCtx): Promise<void> =>
  transaction(ctx.db, (tx) => deleteStar(tx, ctx.repo.id, ctx.viewer.id))

export const stargazersOf = (ctx: RepoCtx, page: Page): Promise<UserRow[]> => listStargazers(ctx.db, ctx.repo.id, page)
