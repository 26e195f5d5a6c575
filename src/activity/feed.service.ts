import type { Ctx, SignedInCtx } from '../access/context.ts'
import type { ActRow } from '../db/tables/activity.ts'
import type { UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { cellSeconds, heatSeconds, newsSeconds, secondsOfDay } from './act.rules.ts'
import { countInCells, findActs, type FeedSource } from './feed.store.ts'
import { listWatchedActs } from './watched.store.ts'

/** Returns a page of a feed with the acts that the viewer may read now. An invalid day is no filter (observed). */
export const getFeed = (
  { db, viewer }: Pick<Ctx, 'db' | 'viewer'>,
  source: FeedSource,
  day: string | undefined,
  page: Page,
): Promise<{ readonly acts: ActRow[]; readonly total: number; readonly bound?: Bound | undefined }> =>
  findActs(db, viewer, { source, during: secondsOfDay(day) }, page)

/** Returns the heatmap of an account. */
export const getHeatmap = (
  { db, viewer, clock }: Pick<Ctx, 'db' | 'viewer' | 'clock'>,
  userId: UserId,
): Promise<{ readonly cell: Unix; readonly count: number }[]> =>
  countInCells(db, viewer, userId, { since: nowUnix(clock) - heatSeconds, cellSeconds })

/** Returns the news of the repositories that the viewer watches and of the viewer's organizations, newest first. */
export const getNews = (
  { db, viewer, clock }: Pick<SignedInCtx, 'db' | 'viewer' | 'clock'>,
  limit: number,
): Promise<ActRow[]> => listWatchedActs(db, viewer, nowUnix(clock) - newsSeconds, limit)
