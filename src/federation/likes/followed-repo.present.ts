import type { FollowedRepoRow } from '../../db/tables/federation.ts'
import { formatUnix } from '../../lib/time.ts'
import type { FollowedRepository } from './followed-repo.schemas.ts'

export const presentFollowedRepos = (rows: readonly FollowedRepoRow[]): FollowedRepository[] =>
  rows.map((row) => ({ url: row.url, created_at: formatUnix(row.created_unix) }))
