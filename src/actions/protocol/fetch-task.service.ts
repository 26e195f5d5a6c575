import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionJobRow, ActionTaskRow } from '../../db/tables/actions.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import type { RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken, newToken } from '../../secrets/tokens.ts'
import { scopeText, type QueueScope } from '../queue-scope.ts'
import { findRunnerByUuid, lockRunner } from '../runners/runner.store.ts'
import { sealMasks } from '../logs/mask.service.ts'
import { updateTask } from '../runs/task.store.ts'
import { changeRuns, endJobs, settleRun } from '../runs/run-change.service.ts'
import { findJob, findRunForUpdate, updateJobs } from '../runs/run.store.ts'
import type { TaskMessage } from './messages.ts'
import { taskMessageOf } from './task-message.service.ts'
import { findNextJob, hasTask, insertTask, listWantedLabels } from './task.store.ts'
import { getQueueVersion, waitForJobs } from './waiting-runners.ts'

/** The reply to a runner that requests work. */
export interface FetchedTask {
  readonly task: TaskMessage | undefined
  /** The version of the queue. A runner sends it with its next request. */
  readonly version: number
}

const scopeOfRunner = ({ owner_id, repo_id }: ActionRunnerRow): QueueScope => ({ ownerId: owner_id, repoId: repo_id })

/** Longest wait, in milliseconds: common proxies close a connection that is silent for a minute. */
const longestWaitMs = 50_000

/** The time between the end of the wait and the client's time-out, in milliseconds. A task must not arrive after it. */
const marginMs = 1000

/** Returns how long a request waits: until just before the client's time-out, or `[ingot].ACTIONS_POLL_WAIT`. */
function waitMsOf({ config }: Services, clientTimeoutMs: number | undefined): number {
  const { actionsPollWait } = config.ingot
  if (clientTimeoutMs === undefined || actionsPollWait === 0) return actionsPollWait
  return Math.min(longestWaitMs, clientTimeoutMs - marginMs)
}

/**
 * Gives a runner a task. A runner that knows the current version of its queue waits for a new one.
 * @param request the version that the runner knows, and the time-out of its request
 */
export async function fetchTask(
  services: Services,
  runner: ActionRunnerRow,
  request: { readonly known: number; readonly clientTimeoutMs: number | undefined; readonly signal: AbortSignal },
): Promise<FetchedTask> {
  const { known, clientTimeoutMs, signal } = request
  const scope = scopeOfRunner(runner)
  const version = await getQueueVersion(services.db, scope)
  const reply = async (current: ActionRunnerRow, newest: number): Promise<FetchedTask> => {
    const task = await takeTask(services, current, scope)
    // Jobs may wait still. Nothing raises the version for them, so the runner keeps its own and asks again.
    return task === 'contended' ? { task: undefined, version: known } : { task, version: newest }
  }
  if (known !== version) return reply(runner, version)
  const waitMs = waitMsOf(services, clientTimeoutMs)
  const newer = await waitForJobs(services, { scope, known, waitMs, signal })
  if (newer === undefined) return { task: undefined, version }
  // The runner may have been deleted, or have another owner, since the wait began.
  const current = await findRunnerByUuid(services.db, runner.uuid)
  if (!current || scopeText(scopeOfRunner(current)) !== scopeText(scope)) return { task: undefined, version }
  return reply(current, newer)
}

/** Concurrent runners may claim all jobs of the run that was found; then the next run is looked for. */
const maxAttempts = 20

/**
 * Gives a runner the job that waits longest of those that it can run. Returns undefined when none waits, and `contended` when
 * concurrent runners claimed the jobs of each run that was found.
 */
async function takeTask(
  services: Services,
  runner: ActionRunnerRow,
  scope: QueueScope,
): Promise<TaskMessage | 'contended' | undefined> {
  const labels = new Set(JSON.parse(runner.labels) as string[])
  const runnable = (await listWantedLabels(services.db, scope)).filter((runsOn) => {
    const wanted = JSON.parse(runsOn) as string[]
    return wanted.length > 0 && wanted.every((label) => labels.has(label))
  })
  if (runnable.length === 0) return undefined
  if (runner.is_ephemeral && (await hasTask(services.db, runner.id))) return undefined
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = await findNextJob(services.db, scope, runnable)
    if (!next) return undefined
    const token = newToken()
    const claim = await changeRuns(services.db, (tx) =>
      claimJob(tx, runner, { scope, runId: next.run_id, runnable, token }),
    )
    if (claim === 'runner ended') return undefined
    if (claim !== 'contended') return buildMessage(services, claim, token)
  }
  return 'contended'
}

interface ClaimedJob {
  readonly task: ActionTaskRow
  readonly job: ActionJobRow
}

interface WantedJob {
  readonly scope: QueueScope
  readonly runId: RunId
  /** The `runs_on` values of the jobs that the runner can run. */
  readonly runnable: readonly string[]
  /** The token of the task. */
  readonly token: string
}

/**
 * Creates the task of the job of a run that waits longest. Idle runners wake together and find the same job, so it is looked for
 * again behind the lock of the run. Returns `contended` when other runners claimed all jobs of the run, and `runner ended` when
 * an ephemeral runner had its task.
 */
async function claimJob(
  tx: Tx,
  runner: ActionRunnerRow,
  { scope, runId, runnable, token }: WantedJob,
): Promise<ClaimedJob | 'contended' | 'runner ended'> {
  // Each transaction locks the run before its tasks, so that none can deadlock.
  const run = await findRunForUpdate(tx, runId)
  const next = run && (await findNextJob(tx, scope, runnable, runId))
  const job = next && (await findJob(tx, next.id))
  if (!job) return 'contended'
  // Another request of the runner may have got a task since `takeTask` looked.
  if (runner.is_ephemeral && (!(await lockRunner(tx, runner.id)) || (await hasTask(tx, runner.id)))) {
    return 'runner ended'
  }
  const now = nowUnix(clockOf(tx))
  const nowMs = clockOf(tx).nowMs()
  const task = await insertTask(tx, {
    job_id: job.id,
    run_id: job.run_id,
    repo_id: job.repo_id,
    runner_id: runner.id,
    attempt: job.attempt + 1,
    status: 'running',
    token_hash: hashToken(token),
    started_unix: now,
    stopped_unix: 0,
    created_unix: now,
    updated_unix: now,
    active_ms: nowMs,
    log_lines: 0,
    log_bytes: 0,
    log_state: 'open',
    log_key: '',
  })
  await updateJobs(tx, [job.id], {
    status: 'running',
    attempt: task.attempt,
    task_id: task.id,
    started_unix: now,
    stopped_unix: 0,
    updated_unix: now,
  })
  await settleRun(tx, job.run_id, [job.id])
  return { task, job }
}

/** Builds the message that the runner gets. Its secrets become masks of the log. An error fails the job. */
async function buildMessage(services: Services, { task, job }: ClaimedJob, token: string): Promise<TaskMessage> {
  try {
    const { message, stepNames } = await taskMessageOf(services, task, job, token)
    const { gitea_runtime_token: runtime } = message.context
    const masks = sealMasks(services, [
      ...Object.values(message.secrets),
      ...(typeof runtime === 'string' ? [runtime] : []),
    ])
    const change = { masks, step_names: JSON.stringify(stepNames) }
    await transaction(services.db, (tx) => updateTask(tx, task.id, change))
    return message
  } catch (error) {
    await changeRuns(services.db, (tx) => endJobs(tx, job.run_id, 'failure', ({ id }) => id === job.id))
    throw error
  }
}
