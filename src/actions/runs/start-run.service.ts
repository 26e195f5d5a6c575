import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { ActionRunRow } from '../../db/tables/actions.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import type { Oid, UserId } from '../../lib/ids.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { isFinal } from '../status.rules.ts'
import type { JobPlan } from '../workflows/job-plan.ts'
import type { PlannedConcurrency, PlannedJob } from '../workflows/planned-job.ts'
import type { WorkflowFile } from '../workflows/workflow-files.service.ts'
import { loadRunPlanner, type RunPlanner } from './plan-run.service.ts'
import { lockGroups } from './group.store.ts'
import { findRunRepo } from './run-repo.store.ts'
import { reportJobStatuses } from './commit-status.service.ts'
import { cancelOpenRuns, changeRuns, enterGroup, offerJobs, settleRun } from './run-change.service.ts'
import type { RunCause } from './run-cause.rules.ts'
import {
  findRunForUpdate,
  findRunOfCause,
  hasPayload,
  insertJobs,
  insertPayload,
  insertRun,
  listOpenRunsLike,
  takeRunNumber,
  updateRun,
} from './run.store.ts'
import { mayStart } from './trust.rules.ts'
import { trustOf, type RunTrust } from './trust.service.ts'

/** A workflow to run, the commit, and the event that starts it. */
export interface RunStart {
  readonly repo: RepoRow
  readonly file: WorkflowFile
  /** The entry of `on` that matched. */
  readonly event: string
  /** The webhook event that matched the entry, such as `pull_request_sync`. */
  readonly hookEvent: string
  readonly title: string
  readonly ref: string
  /** The branch, tag or pull request that lists show for the run. */
  readonly head: string
  readonly commit: Oid
  /** The commit that contains the workflow file, when it is another one. */
  readonly files?: Oid
  readonly baseRef?: string
  readonly headRef?: string
  readonly doerId: UserId
  /** The event's payload for the jobs, as JSON. */
  readonly payload: string
  readonly inputs?: Readonly<Record<string, string>>
  /** The number of runs before it that dispatched one another. */
  readonly chain?: number
  /** The pull request whose head or reviewed commit runs. */
  readonly pull?: PullRow | undefined
  /** Whether it cancels the open runs of the same workflow, reference and trigger. */
  readonly replacesOpenRuns?: boolean
  /** What starts the run; undefined for a dispatch, each of which starts a run of its own. */
  readonly cause?: RunCause
}

const maxTitleBytes = 255

/** Returns the text cut to a number of bytes of UTF-8, between characters. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text)
  return whole.length <= bytes ? text : new TextDecoder('utf-8').decode(whole.subarray(0, bytes), { stream: true })
}

/**
 * Creates a run of a workflow and its jobs. Jobs without `needs` wait for a runner. A file that cannot be read makes a
 * failed run with one failed job. A cause that is repeated starts no second run: the run that exists is returned, and planned
 * when its plan was lost.
 */
export async function startRun(services: Services, start: RunStart): Promise<ActionRunRow> {
  const { repo, file } = start
  const { parsed } = file
  const known = await findCausedRun(services.db, start)
  if (known && (await hasPayload(services.db, known.id))) return known
  const planner = parsed.ok
    ? await loadRunPlanner(services, start, parsed.workflow)
    : unreadablePlanner({ ok: false, problem: parsed.problem })
  const trust = await trustOf(services, { repo, commit: start.files ?? start.commit, pull: start.pull })
  const { draft, planOf } = planner
  // Planning takes time, so no transaction waits for it. A run whose plan is lost in between has failed.
  const reserved = known ?? (planOf && (await changeRuns(services.db, (tx) => reserveRun(tx, start, trust))))
  const plan = reserved && planOf ? await planOf(reserved) : draft
  return changeRuns(services.db, async (tx) => {
    const { payload } = start
    // Before it looks at other runs: two runs that start at once must see each other.
    await lockGroups(tx, repo.id)
    const runRepo = await findRunRepo(tx, repo.id)
    if (!runRepo) throw new Error(`repository ${repo.id} was deleted while a workflow run was created`)
    const found = reserved ? await findRunForUpdate(tx, reserved.id) : await findCausedRun(tx, start)
    if (reserved && !found) throw new Error(`run ${reserved.id} was deleted while it was planned`)
    // Another process, which repeats the cause too, has planned it.
    if (found && (await hasPayload(tx, found.id))) return found
    if (start.replacesOpenRuns) {
      await cancelOpenRuns(tx, await listOpenRunsLike(tx, runRow(start, trust, 0, plan, 0)), start.doerId)
    }
    const inserted = found ?? (await insertRunOf(tx, start, trust, plan))
    const planned = plannedColumns(plan, start, trust, nowUnix(clockOf(tx)))
    if (found) await updateRun(tx, found.id, planned)
    const run = { ...inserted, ...planned }
    await insertPayload(tx, run.id, plan.ok ? payload : '{}')
    const isHeld = await enterGroup(tx, run, start.doerId)
    // A job that has a group starts when it has entered it.
    const canStart = mayStart({ ...run, is_held: isHeld })
    const timing = { canStart: canStart && !run.has_groups, nowMs: clockOf(tx).nowMs() }
    const rows = plan.ok
      ? plan.jobs.map((job, position) => jobRow(run, job, position, timing))
      : [unreadableJobRow(run)]
    const jobs = await insertJobs(tx, rows)
    // The names of deferred jobs are not known yet.
    await reportJobStatuses(
      tx,
      runRepo,
      run,
      jobs.filter((job) => !job.is_deferred),
    )
    if (isFinal(run.status)) {
      await publish(tx, 'run.finished', { repoId: repo.id, runId: run.id, doerId: start.doerId, status: run.status })
    } else if (jobs.some(({ status }) => status === 'waiting')) await offerJobs(tx, run, runRepo.ownerId)
    // Jobs that failed or are skipped from the start decide about those that need them.
    const isDecided = jobs.some((job) => isFinal(job.status) || (job.is_call && job.needs === '[]'))
    const entersGroups = run.has_groups && canStart
    if (!isFinal(run.status) && (isDecided || entersGroups)) await settleRun(tx, run.id, [], start.doerId)
    return run
  })
}

/** The plan of a run until its own is made. */
const interrupted: JobPlan = { ok: false, problem: 'the server stopped while it planned the run; start a new run' }

/** Returns the run that the cause has started before. */
const findCausedRun = async (db: Db | Tx, { repo, file, event, cause }: RunStart): Promise<ActionRunRow | undefined> =>
  cause && findRunOfCause(db, { repo_id: repo.id, cause, workflow_id: file.id, event })

/** Inserts the row of a run that is yet to be planned. A violated key of causes repeats the transaction, which then finds the row. */
const reserveRun = async (tx: Tx, start: RunStart, trust: RunTrust): Promise<ActionRunRow> =>
  (await findCausedRun(tx, start)) ?? (await insertRunOf(tx, start, trust, interrupted))

/** Inserts the row of a run with the next number of its repository. */
async function insertRunOf(tx: Tx, start: RunStart, trust: RunTrust, plan: JobPlan): Promise<ActionRunRow> {
  const number = await takeRunNumber(tx, start.repo.id)
  return insertRun(tx, runRow(start, trust, number, plan, nowUnix(clockOf(tx))))
}

/** The planner of a file that cannot be read. */
const unreadablePlanner = (draft: JobPlan): RunPlanner => ({ draft, planOf: undefined })

/** Returns the columns of a run that come from its plan. */
const plannedColumns = (plan: JobPlan, { title }: RunStart, trust: RunTrust, now: Unix) => ({
  title: cut((plan.ok && plan.title) || title, maxTitleBytes),
  needs_approval: plan.ok && trust.needsApproval,
  concurrency_group: plan.ok ? groupNameOf(plan.concurrency) : '',
  has_groups: plan.ok && (plan.concurrency !== undefined || plan.jobs.some(mayHaveGroup)),
  group_cancels: plan.ok && (plan.concurrency?.cancels ?? false),
  status: plan.ok ? ('waiting' as const) : ('failure' as const),
  problem: plan.problem.slice(0, 1000),
  stopped_unix: plan.ok ? (0 as Unix) : now,
})

/** Whether a job has a concurrency group, or stands for jobs that may have one. */
const mayHaveGroup = ({ concurrency, isDeferred }: PlannedJob): boolean =>
  concurrency !== undefined || isDeferred === true

/** Returns the stored name of a group, in lower case: names of groups ignore the letter case. Empty for none. */
const groupNameOf = (concurrency: PlannedConcurrency | undefined): string => concurrency?.group.toLowerCase() ?? ''

const runRow = (start: RunStart, trust: RunTrust, number: number, plan: JobPlan, now: Unix) => {
  const workflow = start.file.parsed.ok ? start.file.parsed.workflow : undefined
  return {
    repo_id: start.repo.id,
    number,
    workflow_id: start.file.id,
    workflow_name: workflow?.name ?? '',
    event: start.event,
    happening: start.hookEvent,
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
    ...plannedColumns(plan, start, trust, now),
    cause: start.cause ?? null,
    approver_id: null,
    is_held: false,
    started_unix: 0,
    previous_seconds: 0,
    created_unix: now,
    updated_unix: now,
  }
}

export interface JobStart {
  /** Whether jobs of the run may start: it is neither held nor waiting for approval. */
  readonly canStart: boolean
  readonly nowMs: number
}

/** Returns the row of a planned job. */
export const jobRow = (run: ActionRunRow, job: PlannedJob, position: number, { canStart, nowMs }: JobStart) => ({
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
  is_deferred: job.isDeferred ?? false,
  concurrency_group: groupNameOf(job.concurrency),
  group_cancels: job.concurrency?.cancels ?? false,
  environment: job.environment?.name ?? '',
  environment_url: job.environment?.url ?? '',
  passed_secrets: job.passedSecrets === undefined ? null : JSON.stringify(job.passedSecrets),
  may_identify: !run.is_foreign && job.rights.mayIdentify,
  status:
    job.problem !== undefined
      ? ('failure' as const)
      : canStart && job.needs.length === 0 && !job.isCall
        ? ('waiting' as const)
        : ('blocked' as const),
  attempt: 0,
  task_id: null,
  queued_ms: nowMs,
  started_unix: 0,
  stopped_unix: job.problem === undefined ? 0 : run.created_unix,
  created_unix: run.created_unix,
  updated_unix: run.created_unix,
})

/** Returns the failed job of a run whose workflow could not be read. No runner gets it. */
const unreadableJobRow = (run: ActionRunRow) => ({
  ...jobRow(
    run,
    {
      key: 'workflow',
      name: run.title,
      needs: [],
      runsOn: [],
      hasCondition: false,
      rights: { isReadOnly: true, mayIdentify: false, isExplicit: true },
      payload: '',
      passedSecrets: [],
      isCall: false,
    },
    0,
    { canStart: false, nowMs: 0 },
  ),
  status: 'failure' as const,
  stopped_unix: run.stopped_unix,
})
