import type { Services } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { BadRequest } from '../../lib/errors.ts'
import { requestSync } from './sync-mirror.job.ts'

/**
 * Enqueues the update of a mirror. Throws `BadRequest` when the repository is no mirror or mirrors are disabled
 * (contract).
 */
export async function requestMirrorSync(services: Services, repo: RepoRow): Promise<void> {
  if (!services.config.mirror.enabled) throw new BadRequest('mirrors are switched off', 'mirrors_disabled')
  if (!repo.is_mirror) throw new BadRequest('the repository is no mirror', 'repo_is_no_mirror')
  await requestSync(services, repo.id)
}
