import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { variablesOver } from '../variables/variable.store.ts'
import { isFinal } from '../status.rules.ts'
import type { Plain } from '../workflows/plain-yaml.ts'
import type { JobPlan, PlannedJob } from '../workflows/job-plan.ts'
import type { Workflow } from '../workflows/workflow.parse.ts'
import type { WorkflowFile } from '../workflows/workflow-files.service.ts'
import { finderOf } from './called-workflow.service.ts'
import { findHome } from './run-repo.store.ts'
import { reportJobs } from './commit-status.service.ts'
import { cancelOpenRuns, changeRuns, enterGroup, offerJobs } from './run-change.service.ts'
import { insertJobs, insertPayload, insertRun, listOpenRunsLike, takeRunNumber } from './run.store.ts'
import { mayBegin } from './trust.rules.ts'
import { trustOf, type RunTrust } from './trust.service.ts'

/** What a run is of, and why it begins. */
export interface RunStart {
  readonly repo: RepoRow
  readonly file: WorkflowFile
  /** The trigger of the file. */
  readonly event: string
  /** What happened. */
  readonly happening: string
  readonly title: string
  readonly ref: string
  /** What lists show in its place. */
  readonly head: string
  readonly commit: Oid
  /** Where the file was read; left out: in the commit. */
  readonly files?: Oid
  readonly baseRef?: string
  readonly headRef?: string
  readonly doerId: UserId
  /** What happened, for the job: JSON. */
  readonly payload: string
  readonly inputs?: Readonly<Record<string, string>>
  /** How many runs dispatched each other before it. */
  readonly chain?: number
  /** The pull request whose head or reviewed commit is run. */
  readonly pull?: PullRow | undefined
  /** Whether it takes the place of those of its kind that are still open. */
  readonly takesPlace?: boolean
}

/** Longest title, in bytes. */
const maxTitleBytes = 255

/** A text cut to so many bytes of UTF-8, between characters. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text)
  return whole.length <= bytes ? text : new TextDecoder('utf-8').decode(whole.subarray(0, bytes), { stream: true })
}

/**
 * Begins a run of a workflow: its jobs are planned, and those that need no others wait for a runner. A file that cannot be
 * read makes a run that has failed, with one job that says so by being there.
 */
export async function startRun(services: Services, start: RunStart): Promise<ActionRunRow> {
  const { repo, file } = start
  const { parsed } = file
  const plan: JobPlan = parsed.ok
    ? await planOf(services, start, parsed.workflow)
    : { ok: false, problem: parsed.problem }
  const trust = await trustOf(services, { repo, commit: start.files ?? start.commit, pull: start.pull })
  return changeRuns(services.db, async (tx) => {
    const { payload } = start
    const number = await takeRunNumber(tx, repo.id)
    const home = await findHome(tx, repo.id)
    if (!home) throw new Error('the repository of a run is gone')
    const values = runRow(start, trust, number, plan, nowUnix(clockOf(tx)))
    const replaced = start.takesPlace ? await listOpenRunsLike(tx, values) : []
    await cancelOpenRuns(tx, replaced, start.doerId)
    const made = await insertRun(tx, values)
    await insertPayload(tx, made.id, plan.ok ? payload : '{}')
    const isHeld = await enterGroup(tx, made, start.doerId)
    const begins = mayBegin({ ...made, is_held: isHeld })
    const rows = plan.ok
      ? plan.jobs.map((job, position) => jobRow(made, job, position, begins, clockOf(tx).nowMs()))
      : [brokenJobRow(made)]
    const jobs = await insertJobs(tx, rows)
    await reportJobs(tx, home, made, jobs)
    if (isFinal(made.status)) {
      await publish(tx, 'run.finished', { repoId: repo.id, runId: made.id, doerId: start.doerId, status: made.status })
    } else if (jobs.some(({ status }) => status === 'waiting')) await offerJobs(tx, made, home.ownerId)
    return made
  })
}

async function planOf(services: Services, start: RunStart, workflow: Workflow): Promise<JobPlan> {
  const { repo, inputs, event, ref, commit, payload, headRef = '', baseRef = '' } = start
  const { db } = services
  const { planJobs } = await import('../workflows/job-plan.ts')
  const vars = await variablesOver(db, repo)
  const github: Plain = {
    event_name: event,
    ref,
    sha: commit,
    head_ref: headRef,
    base_ref: baseRef,
    ref_name: ref.replace(/^refs\/(?:heads|tags)\//, ''),
    repository: repo.name,
    workflow: workflow.name,
    event: JSON.parse(payload) as Plain,
  }
  return planJobs(
    workflow,
    { vars, github, gitea: github, forgejo: github, inputs: inputs ?? {} },
    finderOf(services, start),
  )
}

const runRow = (start: RunStart, trust: RunTrust, number: number, plan: JobPlan, now: number) => {
  const workflow = start.file.parsed.ok ? start.file.parsed.workflow : undefined
  return {
    repo_id: start.repo.id,
    number,
    title: cut(start.title, maxTitleBytes),
    workflow_id: start.file.id,
    workflow_name: workflow?.name ?? '',
    event: start.event,
    happening: start.happening,
    chain: start.chain ?? 0,
    ref: start.ref,
    head: start.head,
    commit_oid: start.commit,
    base_ref: start.baseRef ?? '',
    head_ref: start.headRef ?? '',
    doer_id: start.doerId,
    is_foreign: !trust.isTrusted,
    author_id: trust.authorId,
    is_read_only: !trust.isTrusted || (workflow?.rights.isReadOnly ?? false),
    needs_approval: plan.ok && trust.needsApproval,
    approver_id: null,
    concurrency_group: plan.ok ? (plan.concurrency?.group ?? '') : '',
    group_cancels: plan.ok && (plan.concurrency?.cancels ?? false),
    is_held: false,
    status: plan.ok ? ('waiting' as const) : ('failure' as const),
    problem: plan.ok ? '' : plan.problem.slice(0, 1000),
    started_unix: 0,
    stopped_unix: plan.ok ? 0 : now,
    previous_seconds: 0,
    created_unix: now,
    updated_unix: now,
  }
}

const jobRow = (run: ActionRunRow, job: PlannedJob, position: number, begins: boolean, nowMs: number) => ({
  run_id: run.id,
  repo_id: run.repo_id,
  position,
  job_key: job.key,
  name: job.name,
  needs: JSON.stringify(job.needs),
  runs_on: JSON.stringify(job.runsOn),
  payload: job.payload,
  has_condition: job.hasCondition,
  is_read_only: run.is_foreign || job.rights.isReadOnly,
  is_call: job.isCall,
  passed_secrets: job.passedSecrets === undefined ? null : JSON.stringify(job.passedSecrets),
  may_identify: !run.is_foreign && job.rights.mayIdentify,
  status: begins && job.needs.length === 0 && !job.isCall ? ('waiting' as const) : ('blocked' as const),
  attempt: 0,
  task_id: null,
  queued_ms: nowMs,
  started_unix: 0,
  stopped_unix: 0,
  created_unix: run.created_unix,
  updated_unix: run.created_unix,
})

const noRights = { isReadOnly: true, mayIdentify: false, isSaid: true }

/** Stands for the jobs that could not be read; no runner gets it. */
const brokenJobRow = (run: ActionRunRow) => ({
  ...jobRow(
    run,
    {
      key: 'workflow',
      name: run.title,
      needs: [],
      runsOn: [],
      hasCondition: false,
      rights: noRights,
      payload: '',
      passedSecrets: [],
      isCall: false,
    },
    0,
    false,
    0,
  ),
  status: 'failure' as const,
  stopped_unix: run.stopped_unix,
})
