import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Type } from 'typebox'
import type { Ctx, Services } from '../../access/context.ts'
import { transaction, type Db } from '../../db/database.ts'
import { clockOf } from '../../db/clock.ts'
import { notify } from '../../db/notify.ts'
import type { ActionTaskRow } from '../../db/tables/actions.ts'
import { job } from '../../jobs/job.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { Conflict } from '../../lib/errors.ts'
import type { TaskId } from '../../lib/ids.ts'
import { findTask, findTaskForUpdate, updateTask } from '../runs/attempt.store.ts'
import { lineOf, type LogBlock, type LogRow } from './log.rules.ts'
import { maskLines } from './mask.service.ts'
import { deleteChunks, findChunkOf, insertChunk, listChunks } from './log.store.ts'

// Not imported by their names: an older Node, which has no such exports, is to read as far as what tells so.
const compress = promisify(zlib.zstdCompress)
const decompress = promisify(zlib.zstdDecompress)

/** Bytes of text of one block of a stored log: what is read and unpacked for any of its lines. */
const blockBytes = 256 * 1024

/** Says that a log has grown, by the id of its task: to those who read it as it comes. */
export const logChannel = 'action_log'

/** Chunks that are read at once. */
const chunksAtOnce = 100

/**
 * Adds lines to the log of a task: those that are known already are passed over, and none is taken that leaves a gap. Once
 * the log has ended nothing more is taken (`Conflict`). Secrets of the task are taken out.
 * A log ends with lines that are said to be the last. Said without a new line while the task runs, it ends with the task:
 * runners of the family say so early.
 * @param index the number of the first of the lines
 * @returns the number of the line that comes next
 */
export async function appendLog(
  services: Services,
  taskId: TaskId,
  index: number,
  rows: readonly LogRow[],
  isWhole: boolean,
): Promise<number> {
  const maxBytes = services.config.ingot.maxActionsLog
  return transaction(services.db, async (tx) => {
    const task = await findTaskForUpdate(tx, taskId)
    if (!task || !isOpen(task)) throw new Conflict('the log is whole already', 'log_ended')
    const isNext = index <= task.log_lines
    const arrived = isNext ? rows.slice(task.log_lines - index) : []
    const {
      lines: texts,
      begun,
      change,
    } = maskLines(
      services,
      task,
      arrived.map(({ content }) => content),
    )
    // Of what may go on as a secret the runner sends the beginning again, with the rest.
    const fresh = arrived.slice(0, isWhole ? arrived.length : arrived.length - begun)
    const lines = task.log_lines + fresh.length
    // Lines beyond the limit are counted, so that the runner goes on, and not kept.
    if (fresh.length > 0 && task.log_bytes < maxBytes) {
      const data = fresh.map((row, at) => `${lineOf({ ...row, content: texts[at] ?? '' })}\n`).join('')
      const bytes = Buffer.byteLength(data)
      await insertChunk(tx, { task_id: taskId, first_line: task.log_lines, line_count: fresh.length, data })
      task.log_bytes += bytes
    }
    const ends = isWhole && isNext && (fresh.length > 0 || task.status !== 'running')
    const state = ends ? 'ended' : isWhole && isNext ? 'closing' : fresh.length > 0 ? 'open' : task.log_state
    await updateTask(tx, taskId, {
      log_lines: lines,
      log_bytes: task.log_bytes,
      active_ms: clockOf(tx).nowMs(),
      ...change,
      log_state: state,
    })
    if (fresh.length > 0 || ends) notify(tx, logChannel, String(taskId))
    if (ends) await enqueueAll(tx, [planned(storeLog, { taskId })])
    return lines
  })
}

/** Whether lines are still taken. */
const isOpen = ({ log_state }: ActionTaskRow): boolean => log_state === 'open' || log_state === 'closing'

/** Whether no further line of a log is expected. */
export const isWholeLog = (task: ActionTaskRow): boolean =>
  task.log_state === 'closing' ? task.status !== 'running' : task.log_state !== 'open'

/** Where the log of a task lies once it is stored. */
const keyOf = (task: Pick<ActionTaskRow, 'repo_id' | 'id'>): string => `${task.repo_id}/${task.id}.log`

/** Puts the log of a task together in the blob store, in packed blocks, and forgets the lines as they came. */
export const storeLog = job({
  name: 'storeActionLog',
  input: Type.Object({ taskId: Type.Unsafe<TaskId>(Type.Integer()) }),
  merge: ({ taskId }) => String(taskId),
  async run(ctx: Ctx, { taskId }, run) {
    const task = await findTask(ctx.db, taskId)
    if (!task || task.log_state !== 'ended') return
    const key = keyOf(task)
    const index: LogBlock[] = []
    const isPacked = ctx.config.actions.logCompression === 'zstd'
    await ctx.blobs.actionsLog.put(key, Readable.from(blocksOf(ctx.db, task, isPacked, index)), {
      maxBytes: Number.POSITIVE_INFINITY,
      contentType: 'application/octet-stream',
      signal: run.signal,
    })
    const isKept = await transaction(ctx.db, async (tx) => {
      const now = await findTaskForUpdate(tx, taskId)
      if (!now || now.log_state !== 'ended') return false
      await updateTask(tx, taskId, {
        log_state: 'stored',
        log_key: key,
        log_index: JSON.stringify([isPacked, index]),
        masks: '',
      })
      await deleteChunks(tx, taskId)
      return true
    })
    // The run was deleted meanwhile; its rows named no blob yet.
    if (!isKept && !(await findTask(ctx.db, taskId))) await ctx.blobs.actionsLog.delete(key)
  },
})

async function* blocksOf(db: Db, task: ActionTaskRow, isPacked: boolean, index: LogBlock[]): AsyncGenerator<Buffer> {
  let offset = 0
  let first = 0
  let line = 0
  let parts: string[] = []
  let size = 0
  const flush = async (): Promise<Buffer> => {
    const text = Buffer.from(parts.join(''))
    const block = isPacked ? await compress(text) : text
    index.push([first, offset, block.length])
    offset += block.length
    first = line
    parts = []
    size = 0
    return block
  }
  for (let from = 0; ; from = line) {
    const chunks = await listChunks(db, task.id, from, chunksAtOnce)
    for (const chunk of chunks) {
      parts.push(chunk.data)
      size += Buffer.byteLength(chunk.data)
      line = chunk.first_line + chunk.line_count
      if (size >= blockBytes) yield await flush()
    }
    if (chunks.length < chunksAtOnce) break
  }
  if (parts.length > 0) yield await flush()
}

/** Whole lines of a log, with the number of the first. */
interface LogPiece {
  readonly firstLine: number
  readonly text: string
}

/** The text of a log in pieces, beginning with the piece that contains a line. */
export async function* readLog(services: Services, task: ActionTaskRow, fromLine = 0): AsyncGenerator<LogPiece> {
  if (task.log_state === 'expired') return
  if (task.log_state === 'stored') {
    yield* readBlocks(services, task, fromLine)
    return
  }
  const begin = await findChunkOf(services.db, task.id, fromLine)
  let next = begin?.first_line ?? 0
  for (;;) {
    const chunks = await listChunks(services.db, task.id, next, chunksAtOnce)
    for (const chunk of chunks) {
      yield { firstLine: chunk.first_line, text: chunk.data }
      next = chunk.first_line + chunk.line_count
    }
    if (chunks.length < chunksAtOnce) break
  }
  // The log may have been stored since the task was read. Then its chunks are gone, and the blocks contain the rest.
  const now = await findTask(services.db, task.id)
  if (now?.log_state !== 'stored') return
  for await (const piece of readBlocks(services, now, Math.max(next, fromLine))) {
    const rest = skipLines(piece, next)
    if (rest.text !== '') yield rest
  }
}

/** The pieces of a stored log, beginning with the block that contains a line. */
async function* readBlocks(services: Services, task: ActionTaskRow, fromLine: number): AsyncGenerator<LogPiece> {
  const [isPacked, index] = JSON.parse(task.log_index) as [boolean, LogBlock[]]
  const begin = Math.max(
    0,
    index.findLastIndex(([first]) => first <= fromLine),
  )
  for (const [firstLine, start, size] of index.slice(begin)) {
    const content = await services.blobs.actionsLog.get(task.log_key, { range: { start, end: start + size - 1 } })
    if (!content) return
    const packed = Buffer.concat(await content.stream.toArray())
    yield { firstLine, text: (isPacked ? await decompress(packed) : packed).toString('utf8') }
  }
}

/** The lines of a piece from a line on. */
function skipLines({ firstLine, text }: LogPiece, fromLine: number): LogPiece {
  let line = firstLine
  let start = 0
  for (; line < fromLine; line += 1) {
    const end = text.indexOf('\n', start)
    if (end === -1) return { firstLine: fromLine, text: '' }
    start = end + 1
  }
  return { firstLine: line, text: text.slice(start) }
}

/** The whole log as a stream. */
export function logStream(services: Services, task: ActionTaskRow): Readable {
  async function* texts(): AsyncGenerator<string> {
    for await (const { text } of readLog(services, task)) yield text
  }
  return Readable.from(texts(), { objectMode: false })
}
