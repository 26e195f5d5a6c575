import { setImmediate } from 'node:timers/promises'
import type { Ctx, RepoCtx } from '../../access/context.ts'
import { openInbox } from '../../db/notify.ts'
import type { ActionJobRow, ActionRunRow, ActionTaskRow } from '../../db/tables/actions.ts'
import { NotFound } from '../../lib/errors.ts'
import { isFinal } from '../status.rules.ts'
import { findTask } from '../runs/task.store.ts'
import { findJobAt, findRunByNumber } from '../runs/run.store.ts'
import { isCompleteLog, logChannel, readLog } from './log.service.ts'

const noLog = () => new NotFound('the log does not exist or has expired', 'log_not_found')

/** Returns the newest attempt at a job and the file name of its log. Throws `NotFound` without an attempt or a log. */
export async function getLog(
  { db }: Pick<Ctx, 'db'>,
  job: ActionJobRow,
  run: ActionRunRow,
): Promise<{ readonly task: ActionTaskRow; readonly fileName: string }> {
  const task = job.task_id === null ? undefined : await findTask(db, job.task_id)
  if (!task || task.log_state === 'expired') throw noLog()
  // Up to the first dot that does not begin the name (observed).
  const [workflow = ''] = /^.[^.]*/s.exec(run.workflow_id.split('/').at(-1) as string) ?? []
  return { task, fileName: `${workflow}-${job.name}-${task.id}.log` }
}

/** Returns a job by the number of its run and its position in the run. An unknown position returns the first job. */
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
 * Returns one page of a log, beginning with a line.
 * @returns the lines, the number of the next line, and whether these are the last lines of the log
 */
export async function linesOf(
  ctx: Ctx,
  task: ActionTaskRow,
  from: number,
  limit = maxLines,
): Promise<{ readonly lines: readonly LogLine[]; readonly next: number; readonly isComplete: boolean }> {
  const lines: LogLine[] = []
  const pageSize = Math.min(limit, maxLines)
  for await (const { firstLine, text } of readLog(ctx, task, from)) {
    const all = text.split('\n')
    // The text after the last line feed is empty.
    all.pop()
    for (const [at, line] of all.entries()) {
      if (firstLine + at >= from && lines.length < pageSize) lines.push({ index: firstLine + at, text: line })
    }
    if (lines.length >= pageSize) break
  }
  const next = lines.length === 0 ? from : (lines.at(-1) as LogLine).index + 1
  return { lines, next, isComplete: isCompleteLog(task) && lines.length < pageSize }
}

/** The interval at which a reader polls, in milliseconds: a notification may be lost. */
const pollMs = 5000

/** Yields pages of a growing log until it is complete. */
export async function* followLog(
  ctx: Ctx,
  first: ActionTaskRow,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly lines: readonly LogLine[]; readonly next: number }> {
  // It opens before the first read, so that no change between the two is missed.
  using inbox = openInbox(ctx.db, logChannel, String(first.id))
  for (let next = from; !signal.aborted;) {
    const task = await findTask(ctx.db, first.id)
    if (!task) return
    const page = await linesOf(ctx, task, next)
    next = page.next
    if (page.lines.length > 0) yield page
    else if (page.isComplete || (isFinal(task.status) && isCompleteLog(task))) return
    else await inbox.next(pollMs, signal)
  }
}

/** Most lines that a search returns. */
const maxFound = 200

/** Characters that are searched without a pause. */
const searchedAtOnce = 256 * 1024
/** Characters for each microsecond (measured: 340 to 660, with letters beyond Latin-1 170; in lines 190 to 270). */
const charactersPerUs = { searched: 250, inLines: 200 } as const

/**
 * Returns the first lines of a log that contain a text; the letter case is ignored. Other requests run between the parts
 * of a log.
 * @returns `hasMore` when further lines match, `isCut` when the search did not read the whole log
 */
export async function searchLog(
  ctx: Ctx,
  task: ActionTaskRow,
  text: string,
): Promise<{ readonly lines: readonly LogLine[]; readonly hasMore: boolean; readonly isCut: boolean }> {
  const wanted = text.toLowerCase()
  const lines: LogLine[] = []
  for await (const section of readLog(ctx, task)) {
    let begin = 0
    let index = section.firstLine
    while (begin < section.text.length) {
      // A part ends with a line, however long the line is.
      const lineEnd = section.text.indexOf('\n', begin + searchedAtOnce)
      const part = section.text.slice(begin, lineEnd === -1 ? undefined : lineEnd + 1)
      begin += part.length
      if (!ctx.budget.tryTake('processorUs', part.length / charactersPerUs.searched)) {
        return { lines, hasMore: false, isCut: true }
      }
      await setImmediate()
      ctx.budget.signal?.throwIfAborted()
      // Most parts contain no match, and need not be split.
      if (part.toLowerCase().includes(wanted)) {
        ctx.budget.spend('processorUs', part.length / charactersPerUs.inLines)
        for (const [at, line] of part.split('\n').entries()) {
          if (!textOf(line).toLowerCase().includes(wanted)) continue
          const isShown =
            lines.length < maxFound && ctx.budget.tryTake('outputBytes', Math.min(line.length, shownLength))
          if (!isShown) return { lines, hasMore: true, isCut: false }
          lines.push({ index: index + at, text: line })
        }
      }
      index += countLineFeeds(part)
    }
  }
  return { lines, hasMore: false, isCut: false }
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Characters of a line that pages show, with its time. */
const shownLength = 2100

/** Returns a stored line without its time. */
const textOf = (line: string): string => line.slice(line.indexOf(' ') + 1)
