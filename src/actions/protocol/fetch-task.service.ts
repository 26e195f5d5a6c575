import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import type { ActionJobRow, ActionRunnerRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken, newToken } from '../../secrets/tokens.ts'
import { scopeText, type QueueScope } from '../queue-scope.ts'
import { findRunnerByUuid } from '../runners/runner.store.ts'
import { keepMasks } from '../logs/mask.service.ts'
import { changeRuns, endJobs, settleRun } from '../runs/run-change.service.ts'
import { findJob, findRunForUpdate, updateJobs } from '../runs/run.store.ts'
import type { TaskMessage } from './messages.ts'
import { queueBoard } from './queue-board.ts'
import { taskMessageOf } from './task-message.service.ts'
import { findNextJob, hasTask, insertTask, listWantedLabels } from './task.store.ts'

/** What a runner is answered that asks for work. */
export interface Fetched {
  readonly task: TaskMessage | undefined
  readonly version: number
}

const scopeOfRunner = ({ owner_id, repo_id }: ActionRunnerRow): QueueScope => ({ ownerId: owner_id, repoId: repo_id })

/** Longest wait, in milliseconds: proxies in between give up on a silence of a minute. */
const longestWaitMs = 50_000

/** What is left of a runner's patience for its answer to come, in milliseconds: a task that comes too late is nobody's. */
const answerMs = 1000

/** How long a runner is kept waiting: as long as it says that it would wait, or a while when it does not say. */
function waitOf({ config }: Services, patienceMs: number | undefined): number {
  const { actionsPollWait } = config.ingot
  if (patienceMs === undefined || actionsPollWait === 0) return actionsPollWait
  return Math.min(longestWaitMs, patienceMs - answerMs)
}

/**
 * A runner whose own number is the queue's has seen all there is, and waits a while for more.
 * @param patienceMs how long it waits for its answer, when it says so
 */
export async function fetchTask(
  services: Services,
  runner: ActionRunnerRow,
  known: number,
  signal: AbortSignal,
  patienceMs?: number,
): Promise<Fetched> {
  const scope = scopeOfRunner(runner)
  const board = queueBoard.of(services)
  const version = await board.version(scope)
  if (known !== version) {
    return { task: await takeTask(services, runner, scope, await listWantedLabels(services.db, scope)), version }
  }
  const newer = await board.wait(scope, known, waitOf(services, patienceMs), signal)
  if (newer === undefined) return { task: undefined, version }
  // It may have been deleted, or belong to somebody else, since it began to wait.
  const present = await findRunnerByUuid(services.db, runner.uuid)
  if (!present || scopeText(scopeOfRunner(present)) !== scopeText(scope)) return { task: undefined, version }
  return { task: await takeTask(services, present, scope, await board.wantedLabels(scope)), version: newer }
}

/** Others may take what was found meanwhile; then it is looked for again. */
const maxAttempts = 20

/** Gives a runner the job that waits longest of those that it can run. */
async function takeTask(
  services: Services,
  runner: ActionRunnerRow,
  scope: QueueScope,
  wantedLabels: readonly string[],
): Promise<TaskMessage | undefined> {
  const labels = new Set(JSON.parse(runner.labels) as string[])
  const fits = (runsOn: string): boolean => {
    const wanted = JSON.parse(runsOn) as string[]
    return wanted.length > 0 && wanted.every((label) => labels.has(label))
  }
  const fitting = wantedLabels.filter(fits)
  if (fitting.length === 0) return undefined
  if (runner.is_ephemeral && (await hasTask(services.db, runner.id))) return undefined
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const next = await findNextJob(services.db, scope, fitting)
    if (!next) return undefined
    const token = newToken()
    const taken = await changeRuns(services.db, (tx) => claim(tx, runner, next, token))
    if (taken) return told(services, taken, token)
  }
  return undefined
}

interface Taken {
  readonly task: ActionTaskRow
  readonly job: ActionJobRow
}

/** Makes the task of a job, unless somebody else has. */
async function claim(
  tx: Parameters<typeof findRunForUpdate>[0],
  runner: ActionRunnerRow,
  next: { readonly id: ActionJobRow['id']; readonly run_id: ActionJobRow['run_id'] },
  token: string,
): Promise<Taken | undefined> {
  // The run first, in the order in which everybody holds rows.
  const run = await findRunForUpdate(tx, next.run_id)
  const job = run && (await findJob(tx, next.id))
  if (!job || job.status !== 'waiting') return undefined
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

/** What the runner is told of its task. Should that not come about, nobody runs it, and it has failed. */
async function told(services: Services, { task, job }: Taken, token: string): Promise<TaskMessage> {
  try {
    const message = await taskMessageOf(services, task, job, token)
    const { gitea_runtime_token: runtime } = message.context
    const told = [...Object.values(message.secrets), ...(typeof runtime === 'string' ? [runtime] : [])]
    await keepMasks(services, task.id, told)
    return message
  } catch (error) {
    await changeRuns(services.db, (tx) => endJobs(tx, job.run_id, 'failure', ({ id }) => id === job.id))
    throw error
  }
}
