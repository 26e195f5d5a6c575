import type { Ctx } from '../../access/context.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { RepoView } from '../../repos/repo.present.ts'
import { listFailingRuns } from './failing-run.store.ts'

/** A run with its repository. */
export interface RunOfRepo extends Pick<RepoView, 'repo' | 'owner'> {
  readonly run: ActionRunRow
}

/** Returns the failed latest runs of workflows of the given repositories whose runs the viewer may read. */
export async function findFailingRuns(
  { db, config }: Ctx,
  views: readonly RepoView[],
  limit: number,
): Promise<RunOfRepo[]> {
  const readable = config.actions.enabled ? views.filter(({ rights }) => rights.modeOf('actions') > 0) : []
  if (readable.length === 0) return []
  const byId = new Map(readable.map((view) => [view.repo.id, view]))
  const runs = await listFailingRuns(db, [...byId.keys()], limit)
  return runs.flatMap((run) => {
    const view = byId.get(run.repo_id)
    return view ? [{ run, repo: view.repo, owner: view.owner }] : []
  })
}
