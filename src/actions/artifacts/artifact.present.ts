import type { RepoCtx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import type { ListedArtifact } from './artifact-list.store.ts'
import type { ActionArtifact } from './artifact.schemas.ts'

/** Returns an artifact as an API record. The archive is at the web address of the run, which accepts tokens too. */
export function presentArtifact(ctx: RepoCtx, row: ListedArtifact): ActionArtifact {
  const run = `${repoWebUrl(ctx)}/actions/runs/${row.run_number}`
  return {
    id: row.id,
    name: row.name,
    size_in_bytes: row.size_bytes,
    url: `${repoApiUrl(ctx)}/actions/artifacts/${row.id}`,
    archive_download_url: `${run}/artifacts/${encodeURIComponent(row.name)}`,
    expired: row.is_expired,
    workflow_run: { id: row.run_id, repository_id: ctx.repo.id, head_sha: row.commit_oid },
    created_at: formatUnix(row.created_unix),
    updated_at: formatUnix(row.created_unix),
    expires_at: formatUnix(row.expires_unix),
  }
}
