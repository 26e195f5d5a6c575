import type { Ctx, RepoCtx } from '../../access/context.ts'
import { listen } from '../../db/notify.ts'
import type { ActionJobRow, ActionRunRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { NotFound } from '../../lib/errors.ts'
import { isFinal } from '../status.rules.ts'
import { findTask } from '../runs/attempt.store.ts'
import { findJobAt, findRunByNumber } from '../runs/run.store.ts'
import { isWholeLog, logChannel, readLog } from './log.service.ts'

const noLog = () => new NotFound('there is no log', 'log_not_found')

/** The newest attempt at a job, with the name of its log; none and one whose log is gone are `NotFound`. */
export async function getLog(
  { db }: Pick<Ctx, 'db'>,
  job: ActionJobRow,
  run: ActionRunRow,
): Promise<{ readonly task: ActionTaskRow; readonly fileName: string }> {
  const task = job.task_id === null ? undefined : await findTask(db, job.task_id)
  if (!task || task.log_state === 'expired') throw noLog()
  const workflow = (run.workflow_id.split('/').at(-1) as string).replace(/\.ya?ml$/, '')
  return { task, fileName: `${workflow}-${job.name}-${task.id}.log` }
}

/** A job by the number of its run and its position there, as pages name it; an unknown position is the first job's. */
export async function getJobAt(
  { db, repo }: RepoCtx,
  number: number,
  position: number,
): Promise<{ readonly job: ActionJobRow; readonly run: ActionRunRow }> {
  const run = await findRunByNumber(db, repo.id, number)
  const job = run && ((await findJobAt(db, run.id, position)) ?? (await findJobAt(db, run.id, 0)))
  if (!run || !job) throw noLog()
  return { job, run }
}

export interface LogLine {
  readonly index: number
  readonly text: string
}

/** Most lines of a page. */
const maxLines = 1000

/**
 * Lines of a log from one on, as many as a page has.
 * @returns the number of the line to go on with, and whether more may come
 */
export async function linesOf(
  ctx: Ctx,
  task: ActionTaskRow,
  from: number,
  limit = maxLines,
): Promise<{ readonly lines: readonly LogLine[]; readonly next: number; readonly isWhole: boolean }> {
  const lines: LogLine[] = []
  const most = Math.min(limit, maxLines)
  for await (const { firstLine, text } of readLog(ctx, task, from)) {
    const all = text.split('\n')
    // What comes after the last line end is no line.
    all.pop()
    for (const [at, line] of all.entries()) {
      if (firstLine + at >= from && lines.length < most) lines.push({ index: firstLine + at, text: line })
    }
    if (lines.length >= most) break
  }
  const next = lines.length === 0 ? from : (lines.at(-1) as LogLine).index + 1
  return { lines, next, isWhole: isWholeLog(task) && lines.length < most }
}

/** How long a reader sleeps at most before it looks by itself, in milliseconds. */
const lookEveryMs = 5000

/** Pages of a log as they come, until it is whole. */
export async function* followLog(
  ctx: Ctx,
  first: ActionTaskRow,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly lines: readonly LogLine[]; readonly next: number }> {
  let wake: (() => void) | undefined
  const wakeUp = (): void => wake?.()
  // It listens before the first look, so that nothing happens between the two unheard.
  const unlisten = listen(ctx.db, logChannel, {
    heard: (payload) => (payload === String(first.id) ? wakeUp() : undefined),
    missed: wakeUp,
  })
  signal.addEventListener('abort', wakeUp)
  try {
    for (let next = from; !signal.aborted;) {
      const asleep = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookEveryMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const task = await findTask(ctx.db, first.id)
      if (!task) return
      const page = await linesOf(ctx, task, next)
      next = page.next
      if (page.lines.length > 0) yield page
      else if (page.isWhole || (isFinal(task.status) && isWholeLog(task))) return
      else await asleep
      wakeUp()
    }
  } finally {
    wakeUp()
    signal.removeEventListener('abort', wakeUp)
    unlisten()
  }
}
