import { isEveryoneShown } from '../../access/conditions/account-condition.store.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { countStargazers, deleteStar, insertStar, isStarred, listStargazers } from './star.store.ts'

/** Throws `NotFound` unless the viewer has starred the repository. */
export async function checkStar(ctx: SignedInRepoCtx): Promise<void> {
  if (!(await isStarred(ctx.db, ctx.repo.id, ctx.viewer.id))) {
    throw new NotFound('the repository is not starred', 'not_starred')
  }
}

/** Stars the repository, if it is not starred. */
export const star = ({ db, repo, viewer, clock }: SignedInRepoCtx): Promise<void> =>
  transaction(db, async (tx) => {
    if (!(await insertStar(tx, repo.id, viewer.id, nowUnix(clock)))) return
    await publish(tx, 'repo.starred', { repoId: repo.id, userId: viewer.id, doerId: viewer.id })
  })

/** Removes the star, if there is one. */
export const unstar = ({ db, repo, viewer }: SignedInRepoCtx): Promise<void> =>
  transaction(db, async (tx) => {
    if (!(await deleteStar(tx, repo.id, viewer.id))) return
    await publish(tx, 'repo.unstarred', { repoId: repo.id, userId: viewer.id, doerId: viewer.id })
  })

/** Lists the visible accounts that star the repository. */
export async function stargazersOf({ db, repo, viewer }: RepoCtx, page: Page): Promise<PeoplePage> {
  const total = isEveryoneShown(viewer) ? { total: repo.num_stars } : await countStargazers(db, repo.id, viewer)
  return { users: await listStargazers(db, repo.id, viewer, page), ...total }
}
