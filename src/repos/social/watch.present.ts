import { formatUnix, type Unix } from '../../lib/time.ts'
import { repoApiUrl, type RepoPlace } from '../repo-url.ts'
import type { WatchInfo } from './watch.schemas.ts'

/** Presents a watch with its time. */
export const presentWatch = (place: RepoPlace, sinceUnix: Unix): WatchInfo => ({
  subscribed: true,
  ignored: false,
  reason: null,
  created_at: formatUnix(sinceUnix),
  url: `${repoApiUrl(place)}/subscription`,
  repository_url: repoApiUrl(place),
})
