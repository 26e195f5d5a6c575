import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Db } from '../../db/database.ts'
import type { ActionJobRow, ActionRunnerRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { longPoll } from '../../events/long-poll.ts'
import { Unavailable } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashToken, newToken } from '../../secrets/tokens.ts'
import type { QueueScope } from '../queue-scope.ts'
import { keepMasks } from '../logs/mask.service.ts'
import { changeRuns, endJobs, settleRun } from '../runs/run-change.service.ts'
import { findJob, findRunForUpdate, updateJobs } from '../runs/run.store.ts'
import { beginQueueVersion, queueVersion } from '../runners/runner.store.ts'
import type { TaskMessage } from './messages.ts'
import { taskMessageOf } from './task-message.service.ts'
import { findNextJob, hasTask, insertTask, listWantedLabels } from './task.store.ts'

/** What a runner is answered that asks for work. */
export interface Fetched {
  readonly task: TaskMessage | undefined
  readonly version: number
}

const scopeOfRunner = ({ owner_id, repo_id }: ActionRunnerRow): QueueScope => ({ ownerId: owner_id, repoId: repo_id })

/** A runner whose own number is the queue's has seen all there is, and waits a while for more. */
export async function fetchTask(
  services: Services,
  runner: ActionRunnerRow,
  known: number,
  signal: AbortSignal,
): Promise<Fetched> {
  const scope = scopeOfRunner(runner)
  let version = await currentVersion(services.db, scope)
  if (known === version) {
    version = (await newerVersion(services, scope, known, signal)) ?? known
    if (version === known) return { task: undefined, version }
  }
  return { task: await takeTask(services, runner, scope), version }
}

async function currentVersion(db: Db, scope: QueueScope): Promise<number> {
  const version = await queueVersion(db, scope)
  if (version > 0) return version
  await transaction(db, (tx) => beginQueueVersion(tx, scope))
  return queueVersion(db, scope)
}

/** The number once it is another; undefined when the wait is over, or when too many wait. */
async function newerVersion(
  { live, db, config }: Services,
  scope: QueueScope,
  known: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await longPoll({
      live,
      accepts: ({ name, ids }) =>
        name === 'run.queued' && (scope.repoId === null || ids['repoId'] === (scope.repoId as number)),
      async look() {
        const version = await queueVersion(db, scope)
        return version === known ? undefined : version
      },
      waitMs: config.ingot.actionsPollWait,
      signal,
    })
  } catch (error) {
    // The answer that there is nothing is right, only sooner than it need be.
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** Others may take what was found meanwhile; then it is looked for again. */
const maxAttempts = 20

/** Gives a runner the job that waits longest of those that it can run. */
async function takeTask(
  services: Services,
  runner: ActionRunnerRow,
  scope: QueueScope,
): Promise<TaskMessage | undefined> {
  if (runner.is_ephemeral && (await hasTask(services.db, runner.id))) return undefined
  const labels = new Set(JSON.parse(runner.labels) as string[])
  const fits = (runsOn: string): boolean => {
    const wanted = JSON.parse(runsOn) as string[]
    return wanted.length > 0 && wanted.every((label) => labels.has(label))
  }
  const fitting = (await listWantedLabels(services.db, scope)).filter(fits)
  if (fitting.length === 0) return undefined
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
