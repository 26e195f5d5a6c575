import type { RepoCtx } from '../../access/context.ts'
import type { Page } from '../../lib/paging.ts'
import { pluck } from '../../lib/pluck.ts'
import { loadUsers } from '../../users/user.store.ts'
import {
  hasDeployments,
  pageOfDeployments,
  pageOfEnvironments,
  type DeploymentFilter,
  type DeploymentRow,
} from './environment.store.ts'

/** Returns one page of the environments of the repository, each with its newest deployment. */
export const environmentsOf = ({ db, repo }: Pick<RepoCtx, 'db' | 'repo'>, page: Page) =>
  pageOfEnvironments(db, repo.id, page)

/** Returns one page of the deployments of the repository, the newest first. An empty filter filters nothing. */
export const deploymentsOf = (
  { db, repo }: Pick<RepoCtx, 'db' | 'repo'>,
  { environment, sha }: Partial<Omit<DeploymentFilter, 'repoId'>>,
  page: Page,
) => pageOfDeployments(db, { repoId: repo.id, environment: environment || undefined, sha: sha || undefined }, page)

/** Returns who started deployments, by id. */
export const actorsOf = ({ db }: Pick<RepoCtx, 'db'>, rows: readonly DeploymentRow[]) =>
  loadUsers(db, pluck(rows, 'doer_id'))

/** Returns whether the repository has environments that the viewer may see. */
export const hasEnvironments = async ({
  config,
  db,
  repo,
  rights,
}: Pick<RepoCtx, 'config' | 'db' | 'repo' | 'rights'>): Promise<boolean> =>
  config.actions.enabled && rights.modeOf('actions') > 0 && (await hasDeployments(db, repo.id))
