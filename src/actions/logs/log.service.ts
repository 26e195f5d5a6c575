import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Type } from 'typebox'
import type { Ctx, Services } from '../../access/context.ts'
import { transaction, type Db } from '../../db/database.ts'
import { clockOf } from '../../db/clock.ts'
import { notify } from '../../db/notify.ts'
import type { ActionTaskRow } from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import { job } from '../../jobs/job.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { Conflict } from '../../lib/errors.ts'
import type { TaskId } from '../../lib/ids.ts'
import { runChannel } from '../runs/run-change.service.ts'
import { findTask, findTaskForUpdate, updateTask } from '../runs/task.store.ts'
import { annotationLimits, annotationsIn } from './annotation.rules.ts'
import { insertAnnotations } from './annotation.store.ts'
import { lineOf, type LogBlock, type LogRow } from './log.rules.ts'
import { maskLines } from './mask.service.ts'
import { deleteChunks, findChunkOf, insertChunks, listChunks } from './log.store.ts'

// Not imported by name: an older Node lacks these exports, and must still load the program far enough to report its version.
const compress = promisify(zlib.zstdCompress)
const decompress = promisify(zlib.zstdDecompress)

/**
 * The size of a chunk of a growing log, and of a block of a stored log before compression. A reader fetches and
 * decompresses whole blocks.
 */
const blockBytes = 256 * 1024

/** The channel that announces new lines of a log to its readers. The payload is the id of the task. */
export const logChannel = 'action_log'

/** Number of chunks that a reader holds. The first query is small, because most readers need only a few lines. */
const chunksPerQuery = 32
const chunksAtFirst = 2

/**
 * Appends lines to the log of a task, with its secrets masked. Lines that were received before are skipped, and lines after a
 * gap are dropped. Throws `Conflict` when the log has ended.
 *
 * A log ends with a report that contains new lines and the end mark. The end mark without new lines ends the log when the
 * task ends, because common runners send it early.
 * @param index the number of the first line of the report
 * @param isLast whether the report has the end mark
 * @returns the number of the next expected line
 */
export async function appendLog(
  services: Services,
  taskId: TaskId,
  index: number,
  rows: readonly LogRow[],
  isLast: boolean,
): Promise<number> {
  const maxBytes = services.config.ingot.maxActionsLog
  return transaction(services.db, async (tx) => {
    const task = await findTaskForUpdate(tx, taskId)
    if (!task || !isOpen(task)) throw new Conflict('the log has ended', 'log_ended')
    const hasNoGap = index <= task.log_lines
    const arrived = hasNoGap ? rows.slice(task.log_lines - index) : []
    const { lines: texts, begun, mask, change } = maskLines(services, task, pluck(arrived, 'content'))
    // The last lines may be the beginning of a secret. They are not acknowledged, so that the runner sends them again.
    const fresh = arrived.slice(0, isLast ? arrived.length : arrived.length - begun)
    const lines = task.log_lines + fresh.length
    // Lines beyond the size limit are counted, so that the runner continues, but not stored.
    if (fresh.length > 0 && task.log_bytes < maxBytes) {
      const chunks = chunksOf(fresh.map((row, at) => `${lineOf({ ...row, content: texts[at] ?? '' })}\n`))
      const { log_lines: first } = task
      await insertChunks(
        tx,
        chunks.map(({ at, lines, data }) => ({
          task_id: taskId,
          first_line: first + at,
          line_count: lines,
          data,
        })),
      )
      task.log_bytes += chunks.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    const { annotations, resumeToken } = annotationsIn(texts.slice(0, fresh.length), task.log_lines, {
      resumeToken: task.resume_token,
      mask,
    })
    await insertAnnotations(tx, taskId, annotations, annotationLimits)
    const ends = isLast && hasNoGap && (fresh.length > 0 || task.status !== 'running')
    const state = ends ? 'ended' : isLast && hasNoGap ? 'closing' : fresh.length > 0 ? 'open' : task.log_state
    await updateTask(tx, taskId, {
      log_lines: lines,
      log_bytes: task.log_bytes,
      active_ms: clockOf(tx).nowMs(),
      ...change,
      resume_token: resumeToken,
      log_state: state,
    })
    if (fresh.length > 0 || ends) {
      notify(tx, logChannel, String(taskId))
      notify(tx, runChannel, String(task.run_id))
    }
    if (ends) await enqueueAll(tx, [planned(storeLog, { taskId })])
    return lines
  })
}

/** Divides lines into chunks of about `blockBytes`. `at` is the position of the first line. */
function chunksOf(lines: readonly string[]) {
  const chunks: { readonly at: number; readonly lines: number; readonly data: string; readonly bytes: number }[] = []
  let [begin, bytes] = [0, 0]
  for (const [at, line] of lines.entries()) {
    bytes += Buffer.byteLength(line)
    if (bytes < blockBytes && at < lines.length - 1) continue
    const own = lines.slice(begin, at + 1)
    chunks.push({ at: begin, lines: own.length, data: own.join(''), bytes })
    begin = at + 1
    bytes = 0
  }
  return chunks
}

/** Returns whether the log accepts lines. */
const isOpen = ({ log_state }: ActionTaskRow): boolean => log_state === 'open' || log_state === 'closing'

/** Returns whether no further line of a log is expected. */
export const isCompleteLog = (task: ActionTaskRow): boolean =>
  task.log_state === 'closing' ? task.status !== 'running' : task.log_state !== 'open'

/**
 * Returns the blob key of a stored log. After a return to an earlier state of the database another task may have the id, but
 * not the token: a backup takes a key that it knows for the content that it has.
 */
const keyOf = ({ repo_id: repoId, id, token_hash: hash }: ActionTaskRow): string =>
  `${repoId}/${id}-${hash.slice(0, 16)}.log`

/** Moves the log of a task from the database to the blob store, in compressed blocks. */
export const storeLog = job({
  name: 'storeActionLog',
  input: Type.Object({ taskId: Type.Unsafe<TaskId>(Type.Integer()) }),
  merge: ({ taskId }) => String(taskId),
  async run(ctx: Ctx, { taskId }, run) {
    const task = await findTask(ctx.db, taskId)
    if (!task || task.log_state !== 'ended') return
    const key = keyOf(task)
    const index: LogBlock[] = []
    const isCompressed = ctx.config.actions.logCompression === 'zstd'
    await ctx.blobs.actionsLog.put(key, Readable.from(blocksOf(ctx.db, task, isCompressed, index)), {
      maxBytes: Number.POSITIVE_INFINITY,
      contentType: 'application/octet-stream',
      signal: run.signal,
    })
    const isStored = await transaction(ctx.db, async (tx) => {
      const now = await findTaskForUpdate(tx, taskId)
      if (!now || now.log_state !== 'ended') return false
      await updateTask(tx, taskId, {
        log_state: 'stored',
        log_key: key,
        log_index: JSON.stringify([isCompressed, index]),
        // The report of the end of a running task may contain more texts.
        ...(now.status === 'running' ? {} : { masks: '' }),
      })
      await deleteChunks(tx, taskId)
      return true
    })
    // The run was deleted meanwhile, before its rows contained the key of the blob.
    if (!isStored && !(await findTask(ctx.db, taskId))) await ctx.blobs.actionsLog.delete(key)
  },
})

/** Yields the blocks of a log, and adds each to `index`. */
async function* blocksOf(
  db: Db,
  task: ActionTaskRow,
  isCompressed: boolean,
  index: LogBlock[],
): AsyncGenerator<Buffer> {
  let offset = 0
  let first = 0
  let line = 0
  let parts: string[] = []
  let size = 0
  const flush = async (): Promise<Buffer> => {
    const text = Buffer.from(parts.join(''))
    const block = isCompressed ? await compress(text) : text
    index.push([first, offset, block.length])
    offset += block.length
    first = line
    parts = []
    size = 0
    return block
  }
  for (let from = 0; ; from = line) {
    const chunks = await listChunks(db, task.id, from, chunksPerQuery)
    for (const chunk of chunks) {
      parts.push(chunk.data)
      size += Buffer.byteLength(chunk.data)
      line = chunk.first_line + chunk.line_count
      if (size >= blockBytes) yield await flush()
    }
    if (chunks.length < chunksPerQuery) break
  }
  if (parts.length > 0) yield await flush()
}

/** Consecutive lines of a log. */
interface LogSection {
  readonly firstLine: number
  readonly text: string
}

/** Yields a log in sections, beginning with the section that contains a line. */
export async function* readLog(services: Services, task: ActionTaskRow, fromLine = 0): AsyncGenerator<LogSection> {
  if (task.log_state === 'expired') return
  if (task.log_state === 'stored') {
    yield* readBlockTexts(services, task, fromLine)
    return
  }
  const begin = await findChunkOf(services.db, task.id, fromLine)
  let next = begin?.first_line ?? 0
  for (let limit = chunksAtFirst; ; limit = chunksPerQuery) {
    const chunks = await listChunks(services.db, task.id, next, limit)
    for (const chunk of chunks) {
      yield { firstLine: chunk.first_line, text: chunk.data }
      next = chunk.first_line + chunk.line_count
    }
    if (chunks.length < limit) break
  }
  // The log may have been stored since the task was read. Then its chunks are deleted, and the blocks contain the rest.
  const now = await findTask(services.db, task.id)
  if (now?.log_state !== 'stored') return
  for await (const section of readBlockTexts(services, now, Math.max(next, fromLine))) {
    const rest = skipLines(section, next)
    if (rest.text !== '') yield rest
  }
}

async function* readBlockTexts(services: Services, task: ActionTaskRow, fromLine: number): AsyncGenerator<LogSection> {
  for await (const { firstLine, content } of readBlocks(services, task, fromLine)) {
    yield { firstLine, text: content.toString() }
  }
}

/** Yields the blocks of a stored log, beginning with the block that contains a line. */
async function* readBlocks(
  services: Services,
  task: ActionTaskRow,
  fromLine: number,
): AsyncGenerator<{ readonly firstLine: number; readonly content: Buffer }> {
  const [isCompressed, index] = JSON.parse(task.log_index) as [boolean, LogBlock[]]
  const begin = Math.max(
    0,
    index.findLastIndex(([first]) => first <= fromLine),
  )
  for (const [firstLine, start, size] of index.slice(begin)) {
    const content = await services.blobs.actionsLog.get(task.log_key, { range: { start, end: start + size - 1 } })
    if (!content) return
    const block = Buffer.concat(await content.stream.toArray())
    yield { firstLine, content: isCompressed ? await decompress(block) : block }
  }
}

/** Returns the lines of a section from a line on. */
function skipLines({ firstLine, text }: LogSection, fromLine: number): LogSection {
  let line = firstLine
  let start = 0
  for (; line < fromLine; line += 1) {
    const end = text.indexOf('\n', start)
    if (end === -1) return { firstLine: fromLine, text: '' }
    start = end + 1
  }
  return { firstLine: line, text: text.slice(start) }
}

/** Returns the whole log as a stream. */
export function logStream(services: Services, task: ActionTaskRow): Readable {
  async function* parts(): AsyncGenerator<string | Buffer> {
    if (task.log_state === 'stored') for await (const { content } of readBlocks(services, task, 0)) yield content
    else for await (const { text } of readLog(services, task)) yield text
  }
  return Readable.from(parts(), { objectMode: false })
}
