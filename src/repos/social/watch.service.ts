import { isEveryoneShown } from '../../access/conditions/account-condition.store.ts'
import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import type { PeoplePage } from '../../users/people-count.store.ts'
import { isWatching, levelOf, modeOf, type WatchLevel } from '../watch-level.ts'
import { countWatchers, findWatch, insertLesserWatch, listWatchers, unwatchRepo, watchRepos } from './watch.store.ts'

/** Returns the time since which the viewer watches the repository, or throws `NotFound`. */
export async function getWatch(ctx: SignedInRepoCtx): Promise<Unix> {
  const watch = await findWatch(ctx.db, ctx.repo.id, ctx.viewer.id)
  if (!watch || !isWatching(watch.mode)) throw new NotFound('the repository is not watched', 'not_watched')
  return watch.created_unix
}

/** Returns what the viewer hears of the repository. */
export const getWatchLevel = async ({ db, repo, viewer }: SignedInRepoCtx): Promise<WatchLevel> =>
  levelOf((await findWatch(db, repo.id, viewer.id))?.mode)

/** Chooses what the viewer hears of the repository. */
export async function setWatchLevel(ctx: SignedInRepoCtx, level: WatchLevel): Promise<WatchLevel> {
  const { repo, viewer } = ctx
  const mode = modeOf(level)
  if (mode === 'normal') await watch(ctx)
  else {
    const chosen = { repo_id: repo.id, user_id: viewer.id, mode, created_unix: nowUnix(ctx.clock) }
    await transaction(ctx.db, async (tx) => {
      if (!(await insertLesserWatch(tx, chosen))) return
      await publish(tx, 'repo.unwatched', { repoId: repo.id, userId: viewer.id, doerId: viewer.id })
    })
  }
  return level
}

/** Watches the repository and returns the time of the watch. */
export async function watch(ctx: SignedInRepoCtx): Promise<Unix> {
  const { repo, viewer } = ctx
  await transaction(ctx.db, async (tx) => {
    if (!(await watchRepos(tx, [repo.id], [viewer.id], 'normal', nowUnix(ctx.clock)))) return
    await publish(tx, 'repo.watched', { repoId: repo.id, userId: viewer.id, doerId: viewer.id })
  })
  return getWatch(ctx)
}

export const unwatch = (ctx: SignedInRepoCtx): Promise<void> => endWatching(ctx, ctx.repo.id, ctx.viewer.id)

/** Ends the viewer's watch, also of a repository that is hidden or gone. Who hears nothing of it still does. */
export async function endWatching({ db }: Pick<Ctx, 'db'>, repoId: RepoId, userId: UserId): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await unwatchRepo(tx, repoId, userId))) return
    await publish(tx, 'repo.unwatched', { repoId, userId, doerId: userId })
  })
}

/** Lists the visible accounts that watch the repository. */
export async function watchersOf({ db, repo, viewer }: RepoCtx, page: Page): Promise<PeoplePage> {
  const total = isEveryoneShown(viewer) ? { total: repo.num_watches } : await countWatchers(db, repo.id, viewer)
  return { users: await listWatchers(db, repo.id, viewer, page), ...total }
}
