import type { Ctx } from '../../access/context.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { RepoId } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatOptionalUnix } from '../../lib/time.ts'
import { loadRepos } from '../../repos/repo.store.ts'
import { repoApiUrl, repoWebUrl } from '../../repos/repo-url.ts'
import { presentUser } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import { isOnline } from '../runners/runner.rules.ts'
import { presentWorkflowJobs } from '../runs/run.present.ts'
import { loadRuns } from '../runs/run.store.ts'
import { isFinal } from '../status.rules.ts'
import type { ActionRunner, OwnedJob, WorkflowRun } from './owned-list.schemas.ts'

/** Returns the repositories of rows with their owners, by id. */
async function loadRepositories({ config, db }: Ctx, ids: Iterable<RepoId>) {
  const repos = await loadRepos(db, ids)
  const owners = await loadUsers(db, pluck([...repos.values()], 'owner_id'))
  return new Map(
    [...repos].flatMap(([id, repo]) => {
      const owner = owners.get(repo.owner_id)
      return owner ? [[id, { config, owner, repo }] as const] : []
    }),
  )
}

type OwnedRepository = Awaited<ReturnType<typeof loadRepositories>> extends Map<RepoId, infer One> ? One : never

const presentRepository = ({ owner, repo }: OwnedRepository) => ({
  id: repo.id,
  name: repo.name,
  owner: owner.name,
  full_name: `${owner.name}/${repo.name}`,
})

/** Presents runs of several repositories. */
export async function presentOwnedRuns(ctx: Ctx, runs: readonly ActionRunRow[]): Promise<WorkflowRun[]> {
  const [repositories, users] = await Promise.all([
    loadRepositories(ctx, pluck(runs, 'repo_id')),
    loadUsers(ctx.db, pluck(runs, 'doer_id')),
  ])
  return runs.flatMap((run) => {
    const repository = repositories.get(run.repo_id)
    // The repository was deleted meanwhile.
    if (!repository) return []
    const doer = users.get(run.doer_id)
    return [
      {
        id: run.id,
        url: `${repoApiUrl(repository)}/actions/runs/${run.id}`,
        html_url: `${repoWebUrl(repository)}/actions/runs/${run.number}`,
        display_title: run.title,
        path: run.workflow_id,
        event: run.event,
        run_number: run.number,
        head_branch: run.head,
        head_sha: run.commit_oid,
        status: run.status,
        conclusion: isFinal(run.status) ? run.status : '',
        actor: doer ? presentUser({ config: ctx.config }, doer) : null,
        repository: presentRepository(repository),
        started_at: formatOptionalUnix(run.started_unix),
        completed_at: formatOptionalUnix(run.stopped_unix),
      },
    ]
  })
}

/** Presents jobs of several repositories. */
export async function presentOwnedJobs(ctx: Ctx, jobs: Parameters<typeof presentWorkflowJobs>[1]): Promise<OwnedJob[]> {
  const rows = pluck(jobs, 'job')
  const [repositories, runs] = await Promise.all([
    loadRepositories(ctx, pluck(rows, 'repo_id')),
    loadRuns(ctx.db, pluck(rows, 'run_id')),
  ])
  return jobs.flatMap((each) => {
    const [repository, run] = [repositories.get(each.job.repo_id), runs.get(each.job.run_id)]
    if (!repository || !run) return []
    return presentWorkflowJobs(run, [each]).map((job) => ({ ...job, repository: presentRepository(repository) }))
  })
}

/** Presents runners. `busy` are those that have a task. */
export const presentActionRunners = (
  runners: readonly ActionRunnerRow[],
  busy: ReadonlySet<ActionRunnerRow['id']>,
  nowMs: number,
): ActionRunner[] =>
  runners.map((runner) => ({
    id: runner.id,
    name: runner.name,
    status: isOnline(runner.online_ms, nowMs) ? 'online' : 'offline',
    busy: busy.has(runner.id),
    disabled: false,
    ephemeral: runner.is_ephemeral,
    labels: (JSON.parse(runner.labels) as string[]).map((name, index) => ({ id: index + 1, name, type: 'custom' })),
  }))
