import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import type { ActionStatus, ActionTaskRow } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import { actionsUserId, type TaskId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { environmentOutput, maxUrlLength } from '../environment.rules.ts'
import { maskTexts } from '../logs/mask.service.ts'
import { maxSummariesBytes, maxSummaryBytes } from '../logs/summary.rules.ts'
import { upsertSummaries } from '../logs/summary.store.ts'
import { isFinal } from '../status.rules.ts'
import { findTask, findTaskForUpdate, updateTask } from '../runs/task.store.ts'
import { changeRuns, settleRun } from '../runs/run-change.service.ts'
import { findRunForUpdate, updateJobs } from '../runs/run.store.ts'
import { deleteRunner } from '../runners/runner.store.ts'
import type { UpdateTaskRequest } from './messages.ts'
import { resultOfStatus, statusOfResult } from './results.rules.ts'
import { insertOutputs, listOutputNames, upsertSteps } from './task.store.ts'

const maxSteps = 1000
const maxStepNameLength = 255
const maxOutputs = 200
const maxOutputNameBytes = 255
const maxOutputBytes = 1024 * 1024

/** The reply to a runner's report. */
export interface TaskUpdate {
  readonly taskId: TaskId
  readonly result: number
  readonly sentOutputs: readonly string[]
}

const noTask = () => new NotFound('the task does not exist', 'task_not_found')

/** Returns a task of the runner. Throws `NotFound` for a missing task and `Forbidden` for one of another runner. */
export async function getTaskOf({ db }: Services, runner: ActionRunnerRow, id: TaskId): Promise<ActionTaskRow> {
  const task = await findTask(db, id)
  if (!task) throw noTask()
  if (task.runner_id !== runner.id) throw new Forbidden('the task belongs to another runner', 'task_foreign')
  return task
}

/**
 * Records a runner's report: the states, names and summaries of steps, the outputs, and the result. The first result of a task stays. The reply
 * contains it, so that the runner learns that its task was cancelled.
 */
export async function updateTaskState(
  services: Services,
  runner: ActionRunnerRow,
  { state, outputs, summaries = {} }: UpdateTaskRequest,
): Promise<TaskUpdate> {
  if (!state) throw new Invalid('the report has no task state', 'task_missing')
  checkReport(state.steps.length, outputs)
  checkSummaries(summaries)
  const id = Number(state.id) as TaskId
  const known = await getTaskOf(services, runner, id)
  const named = state.steps.flatMap((step) => (step.name ? [[String(step.id), step.name] as const] : []))
  const names = maskTexts(services, known, Object.fromEntries(named))
  const shownSummaries = maskTexts(services, known, summaries)
  const { url } = maskTexts(services, known, { url: outputs[environmentOutput] ?? '' })
  return changeRuns(services.db, async (tx) => {
    // Each transaction locks the run before its tasks, so that none can deadlock.
    await findRunForUpdate(tx, known.run_id)
    const task = await findTaskForUpdate(tx, id)
    if (!task) throw noTask()
    if (isFinal(task.status)) return answer(tx, task.id, task.status)
    const now = nowUnix(clockOf(tx))
    const nowMs = clockOf(tx).nowMs()
    const status = statusOfResult(state.result)
    await upsertSteps(
      tx,
      state.steps.map((step) => ({
        task_id: id,
        position: Number(step.id),
        name: storable(names[String(step.id)] ?? '', maxStepNameLength),
        status: statusOfResult(step.result) ?? (step.startedAt ? 'running' : 'waiting'),
        log_index: Number(step.logIndex),
        log_length: Number(step.logLength),
        started_unix: Number(step.startedAt?.seconds ?? 0n),
        stopped_unix: Number(step.stoppedAt?.seconds ?? 0n),
      })),
    )
    await insertOutputs(tx, id, Object.entries(outputs))
    await upsertSummaries(
      tx,
      Object.entries(shownSummaries).map(([position, content]) => ({
        task_id: id,
        position: Number(position),
        content: storable(content, content.length),
      })),
      maxSummariesBytes,
    )
    if (url) await updateJobs(tx, [task.job_id], { environment_url: storable(url.trim(), maxUrlLength) })
    await updateTask(tx, id, {
      active_ms: nowMs,
      ...(status ? { status, stopped_unix: now, updated_unix: now } : {}),
      // They are needed until the log is stored.
      ...(status && task.log_state === 'stored' ? { masks: '' } : {}),
    })
    if (status) await endTask(tx, runner, task, status)
    return answer(tx, id, status ?? 'running')
  })
}

async function answer(tx: Tx, taskId: TaskId, status: ActionStatus): Promise<TaskUpdate> {
  return { taskId, result: resultOfStatus(status), sentOutputs: await listOutputNames(tx, taskId) }
}

async function endTask(tx: Tx, runner: ActionRunnerRow, task: ActionTaskRow, status: ActionStatus): Promise<void> {
  const now = nowUnix(clockOf(tx))
  await updateJobs(tx, [task.job_id], { status, stopped_unix: now, updated_unix: now })
  await settleRun(tx, task.run_id, [task.job_id])
  const { repo_id: repoId, run_id: runId, id: taskId } = task
  await publish(tx, 'task.finished', { repoId, runId, taskId, doerId: actionsUserId })
  if (runner.is_ephemeral) await deleteRunner(tx, runner.id)
}

/** Returns a text that both databases can store, cut to a length. */
const storable = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replaceAll('\0', '').toWellFormed()

function checkSummaries(summaries: Readonly<Record<string, string>>): void {
  for (const [position, content] of Object.entries(summaries)) {
    if (!/^\d{1,3}$/.test(position)) throw new Invalid('a summary names no step of the task', 'summary_misplaced')
    if (Buffer.byteLength(content) > maxSummaryBytes) {
      throw new Invalid(`the summary of a step has at most ${maxSummaryBytes} bytes`, 'summary_too_long')
    }
  }
}

function checkReport(steps: number, outputs: Readonly<Record<string, string>>): void {
  if (steps > maxSteps) throw new Invalid(`a task has at most ${maxSteps} steps`, 'too_many_steps')
  const entries = Object.entries(outputs)
  if (entries.length > maxOutputs) throw new Invalid(`a job has at most ${maxOutputs} outputs`, 'too_many_outputs')
  const long = entries.find(
    ([name, value]) => Buffer.byteLength(name) > maxOutputNameBytes || Buffer.byteLength(value) > maxOutputBytes,
  )
  if (long) {
    throw new Invalid(
      `output "${long[0].slice(0, maxOutputNameBytes)}": a name has at most ${maxOutputNameBytes} bytes, a value ${maxOutputBytes}`,
      'output_too_long',
    )
  }
}
