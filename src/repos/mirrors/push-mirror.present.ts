import type { PushMirrorRow } from '../../db/tables/mirrors.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { formatUnix } from '../../lib/time.ts'
import { intervalText } from './mirror-interval.ts'
import type { PushMirror } from './push-mirror.schemas.ts'

export const presentPushMirror = ({ repo }: { readonly repo: RepoRow }, mirror: PushMirrorRow): PushMirror => ({
  repo_name: repo.name,
  remote_name: mirror.remote_name,
  remote_address: mirror.remote_url,
  created: formatUnix(mirror.created_unix),
  last_update: formatUnix(mirror.synced_unix),
  last_error: mirror.last_error,
  interval: intervalText(mirror.interval_seconds),
  sync_on_commit: mirror.pushes_on_commit,
  public_key: mirror.public_key,
})
