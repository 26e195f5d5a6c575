import { Readable } from 'node:stream'
import { eventStreamType, type Call } from './operation.ts'
import { bytes, type StreamReply } from './reply.ts'

/** A server-sent event. */
export interface StreamMessage {
  /** Name of the event; the default is `message`. */
  readonly event?: string
  readonly id?: string
  /** Sent as JSON. */
  readonly data?: unknown
  /** Sent as it is instead of the data, such as a Turbo stream. */
  readonly html?: string
}

/** Interval of the comments that keep proxies from closing a silent stream, in milliseconds. */
const heartbeatMs = 25_000

/** Maximum duration of a stream, in milliseconds. */
const maxStreamMs = 3_600_000

/** Delay after which the client reconnects, in milliseconds. */
const retryMs = 3000

/**
 * Answers with server-sent events: each item of the source is a message. The signal of the source is aborted when the
 * client is gone, when the server stops, when the caller loses the credential or the rights, or after an hour. The stream
 * then ends cleanly, even if the source does not. The source is read only as fast as the client takes the messages.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<StreamMessage>,
  { signal, operation }: Pick<Call, 'signal' | 'operation'>,
): StreamReply<200> {
  // The server rechecks rights during operations that declare the stream.
  if (!operation.lasts) throw new Error(`${operation.path} does not declare that it answers with ${eventStreamType}`)
  const closed = new AbortController()
  const ended = AbortSignal.any([signal, closed.signal, AbortSignal.timeout(maxStreamMs)])
  const content = Readable.from(chunks(open(ended), ended), { highWaterMark: 16 })
  // Also without a reader, as for HEAD.
  content.once('close', () => closed.abort())
  return bytes(`${eventStreamType}; charset=utf-8`, content, {
    // Disables buffering in proxies.
    headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}

async function* chunks(source: AsyncIterable<StreamMessage>, ended: AbortSignal): AsyncGenerator<string> {
  const items = source[Symbol.asyncIterator]()
  let next = items.next()
  try {
    yield `retry: ${retryMs}\n\n`
    for (;;) {
      const beat = heartbeat(ended)
      const turn = await Promise.race([beat.due, next]).finally(beat.cancel)
      if (turn === 'end') return
      if (turn === 'beat') {
        yield ': still here\n\n'
        continue
      }
      if (turn.done) return
      yield format(turn.value)
      next = items.next()
    }
  } finally {
    // A disconnected client ends the source by its signal; there is no one to report to.
    next.catch(() => {})
    void items.return?.(undefined)
  }
}

/** Resolves at the next heartbeat, or with `end` when the stream must end first. */
function heartbeat(ended: AbortSignal): { readonly due: Promise<'beat' | 'end'>; readonly cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<'beat' | 'end'>()
  const end = () => resolve('end')
  const timer = setTimeout(() => resolve('beat'), heartbeatMs)
  ended.addEventListener('abort', end)
  if (ended.aborted) end()
  const cancel = () => {
    clearTimeout(timer)
    ended.removeEventListener('abort', end)
  }
  return { due: promise, cancel }
}

function format({ event, id, data, html }: StreamMessage): string {
  // JSON contains no line breaks, so it fits one line.
  const content = html ?? JSON.stringify(data)
  const lines = content.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)
  if (event !== undefined) lines.unshift(`event: ${event}`)
  if (id !== undefined) lines.unshift(`id: ${id}`)
  return `${lines.join('\n')}\n\n`
}
