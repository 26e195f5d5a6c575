import type { RepoCtx } from '../../access/context.ts'
import { NotFound } from '../../lib/errors.ts'
import { getRepoById } from '../repo.service.ts'
import { isStarred } from './star.store.ts'
import { levelOf, type WatchLevel } from '../watch-level.ts'
import { findWatch } from './watch.store.ts'

/** Whether the viewer stars a repository, and what the viewer hears of it. */
export interface Marks {
  readonly isStarred: boolean
  readonly watchLevel: WatchLevel
}

/** Returns the viewer's marks on the repository; guests have none. */
export async function marksOf({ db, repo, viewer }: RepoCtx): Promise<Marks> {
  if (!viewer) return { isStarred: false, watchLevel: 'participating' }
  const [starred, watch] = await Promise.all([isStarred(db, repo.id, viewer.id), findWatch(db, repo.id, viewer.id)])
  return { isStarred: starred, watchLevel: levelOf(watch?.mode) }
}

/** Returns the repository that this one was forked from, if the viewer may see it. */
export async function visibleOrigin(ctx: RepoCtx): Promise<Pick<RepoCtx, 'owner' | 'repo'> | undefined> {
  const { is_fork: isFork, fork_id: id } = ctx.repo
  if (!isFork || id === null) return undefined
  return getRepoById(ctx, id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
}
