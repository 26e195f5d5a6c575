import type { RepoCtx } from '../../access/context.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { presentUser } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { Deployment } from './environment.schemas.ts'
import type { DeploymentRow } from './environment.store.ts'

const states: Readonly<Record<ActionStatus, Deployment['state']>> = {
  blocked: 'pending',
  unknown: 'pending',
  waiting: 'queued',
  running: 'in_progress',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
  skipped: 'inactive',
}

/** Presents deployments of one repository. */
export async function presentDeployments(
  ctx: Pick<RepoCtx, 'config' | 'db' | 'owner' | 'repo'>,
  rows: readonly DeploymentRow[],
): Promise<Deployment[]> {
  const users = await loadUsers(ctx.db, pluck(rows, 'doer_id'))
  return rows.map((row) => {
    const doer = users.get(row.doer_id)
    return {
      id: row.id,
      sha: row.commit_oid,
      ref: row.head,
      task: row.name,
      environment: row.environment,
      environment_url: row.environment_url,
      state: states[row.status],
      creator: doer ? presentUser({ config: ctx.config }, doer) : null,
      log_url: `${repoWebUrl(ctx)}/actions/runs/${row.number}/jobs/${row.position}`,
      created_at: formatUnix(row.created_unix),
      updated_at: formatUnix(row.updated_unix),
    }
  })
}
