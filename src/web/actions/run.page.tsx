import type { SignedInRepoCtx } from '../../access/context.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { artifactsOfRun } from '../../actions/artifacts/artifact-address.service.ts'
import { deleteArtifacts, noArtifact } from '../../actions/artifacts/artifact.service.ts'
import { matchRunners } from '../../actions/runners/runner-match.service.ts'
import { approveRun, cancelRun, deleteRun, rerunJobs } from '../../actions/runs/run-control.service.ts'
import { getJobOf, getRunWithJobs } from '../../actions/runs/run-list.service.ts'
import { getRunNumbered } from '../../actions/runs/run.service.ts'
import { enumeration, pathNumber } from '../../http/schema.ts'
import type { RunId } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { actionsPath, jobPath, runPath } from './actions-paths.ts'
import { mayOf } from './actions-rights.ts'
import { failuresOf } from './failures.ts'
import { reportsOf } from './reports.ts'
import { runStateOf } from './run-state.ts'
import { RunView } from './run.view.tsx'
import { workflowNameOf } from './status.tsx'
import { actionsTexts as texts } from '../languages/texts.ts'
import { integer } from '../ui/fields.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const
const writable = [...readable, signedIn, canWrite('actions'), notArchived] as const

/** A run: its jobs as a graph, and its artifacts. */
export const runPage = page({
  path: '/{username}/{reponame}/actions/runs/{number}',
  twin: 'actionRun',
  cost: 'usual',
  requires: readable,
  params: { number: pathNumber },
  query: { page: integer },
  frame: inRepositoryFrame('actions'),
  async load({ ctx, params, query }) {
    const found = await getRunWithJobs(ctx, params.number)
    const state = await runStateOf(ctx, found)
    const waiting = found.jobs.filter(({ status }) => status === 'waiting')
    const [failures, artifacts, runners, reports] = await Promise.all([
      failuresOf(ctx, found),
      artifactsOfRun(ctx, found.run.id, { isComplete: true, withExpired: true }),
      matchRunners(ctx, pluck(waiting, 'runs_on')),
      reportsOf(ctx, found.jobs, query.page),
    ])
    const { owner, repo } = ctx
    return { owner, repo, ...found, state, failures, artifacts, runners, reports, may: mayOf(ctx) }
  },
  meta: ({ run }) => ({
    title: texts.run.title(run.title || workflowNameOf(run), run.number),
    withFurtherStyles: true,
  }),
  view: RunView,
})

const verbs: Readonly<
  Record<
    string,
    {
      readonly change: (ctx: SignedInRepoCtx, id: RunId) => Promise<void>
      readonly notice: 'rerun' | 'cancelled' | 'approved'
    }
  >
> = {
  rerun: { change: (ctx, id) => rerunJobs(ctx, id, 'all'), notice: 'rerun' },
  'rerun-failed': { change: (ctx, id) => rerunJobs(ctx, id, 'failed'), notice: 'rerun' },
  cancel: { change: cancelRun, notice: 'cancelled' },
  approve: { change: approveRun, notice: 'approved' },
}

/** Reruns, cancels or approves a run. */
export const changeRun = act({
  path: '/{username}/{reponame}/actions/runs/{number}/{verb}',
  twin: 'cancelWorkflowRun',
  cost: 'usual',
  requires: writable,
  params: { number: pathNumber, verb: enumeration('rerun', 'rerun-failed', 'cancel', 'approve') },
  again: runPage,
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    const verb = verbs[params.verb]
    await verb?.change(ctx, run.id)
    return { to: runPath(ctx, run), notice: verb && texts.done[verb.notice] }
  },
})

/** Deletes a run that has ended, with its logs and artifacts. */
export const removeRun = act({
  path: '/{username}/{reponame}/actions/runs/{number}/delete',
  twin: 'deleteActionRun',
  cost: 'usual',
  requires: writable,
  params: { number: pathNumber },
  again: runPage,
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    await deleteRun(ctx, run.id)
    return { to: actionsPath(ctx, { workflow: run.workflow_id }), notice: texts.done.deleted(run.number) }
  },
})

/** Runs a job and the jobs that need it again. */
export const rerunJob = act({
  path: '/{username}/{reponame}/actions/runs/{number}/jobs/{position}/rerun',
  twin: 'rerunWorkflowJob',
  cost: 'usual',
  requires: writable,
  params: { number: pathNumber, position: pathNumber },
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    const job = await getJobOf(ctx, run, params.position)
    await rerunJobs(ctx, run.id, job.id)
    return { to: jobPath(ctx, run, job), notice: 'rerun' }
  },
})

/** Deletes an artifact of a run. */
export const removeRunArtifact = act({
  path: '/{username}/{reponame}/actions/runs/{number}/artifacts/{name}/delete',
  twin: null,
  cost: 'usual',
  requires: writable,
  params: { number: pathNumber },
  async run({ ctx, params }) {
    const run = await getRunNumbered(ctx, params.number)
    const artifacts = await artifactsOfRun(ctx, run.id, { isComplete: true, name: params.name })
    if (artifacts.length === 0) throw noArtifact()
    await deleteArtifacts(ctx, artifacts)
    return { to: runPath(ctx, run), notice: texts.done.artifactDeleted(params.name) }
  },
})
