import { formatUnix, type Unix } from '../../lib/time.ts'
import { repoApiUrl, type RepoAddress } from '../repo-url.ts'
import type { WatchInfo } from './watch.schemas.ts'

/** Presents a watch with its time. */
export const presentWatch = (address: RepoAddress, sinceUnix: Unix): WatchInfo => ({
  subscribed: true,
  ignored: false,
  reason: null,
  created_at: formatUnix(sinceUnix),
  url: `${repoApiUrl(address)}/subscription`,
  repository_url: repoApiUrl(address),
})
