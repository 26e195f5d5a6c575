import type { RepoCtx } from '../../access/context.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { pluck } from '../../lib/pluck.ts'
import { actionsUserId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentUser } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import { combinedState } from './commit-status.rules.ts'
import type { CombinedStatus, CommitStatus } from './commit-status.schemas.ts'
import { presentThisRepo } from '../../repos/repo.present.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'

/** Presents statuses; creators are shown as to guests (observed). */
export async function presentStatuses(
  ctx: Pick<RepoCtx, 'config' | 'db' | 'owner' | 'repo'>,
  rows: readonly CommitStatusRow[],
): Promise<CommitStatus[]> {
  const users = await loadUsers(ctx.db, pluck(rows, 'creator_id'))
  const api = repoApiUrl(ctx)
  return rows.map((row) => {
    // Statuses of workflow jobs have no creator (observed).
    const creator = row.creator_id === actionsUserId ? undefined : users.get(row.creator_id)
    return {
      id: row.id,
      status: row.state,
      target_url: row.target_url,
      description: row.description,
      url: `${api}/statuses/${row.sha}`,
      context: row.context,
      creator: creator ? presentUser({ config: ctx.config }, creator) : null,
      created_at: formatUnix(row.created_unix),
      updated_at: formatUnix(row.updated_unix),
    }
  })
}

export async function presentStatus(
  ctx: Pick<RepoCtx, 'config' | 'db' | 'owner' | 'repo'>,
  row: CommitStatusRow,
): Promise<CommitStatus> {
  const [presented] = await presentStatuses(ctx, [row])
  return presented as CommitStatus
}

/**
 * Combines the latest status of each context of a commit; all fields are empty without a status.
 * @param all the latest status of each context
 * @param shown the statuses of the page
 */
export async function presentCombinedStatus(
  ctx: RepoCtx,
  all: readonly CommitStatusRow[],
  shown: readonly CommitStatusRow[],
): Promise<CombinedStatus> {
  const [first] = all
  if (!first) return { state: '', sha: '', total_count: 0, statuses: null, repository: null, commit_url: '', url: '' }
  return {
    state: combinedState(all.map((row) => row.state)),
    sha: first.sha,
    total_count: shown.length,
    statuses: await presentStatuses(ctx, shown),
    repository: await presentThisRepo(ctx),
    // Both are empty in each recorded answer.
    commit_url: '',
    url: '',
  }
}
