import { Readable } from 'node:stream'
import { eventStreamType, type Call } from './operation.ts'
import { bytes, type StreamReply } from './reply.ts'

/** One message of a stream of server-sent events. */
export interface StreamMessage {
  /** Name of the event; `message` unless told. */
  readonly event?: string
  readonly id?: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** How often a comment is sent that keeps proxies from closing a silent stream, in milliseconds. */
const heartbeatMs = 25_000

/** Longest time of one stream, in milliseconds. */
const maxStreamMs = 3_600_000

/** What the client waits before it comes back after the end of a stream, in milliseconds. */
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
  // Rights are read again for operations that declare the stream.
  if (!operation.lasts) throw new Error(`${operation.path} does not declare that it answers with ${eventStreamType}`)
  const closed = new AbortController()
  const ended = AbortSignal.any([signal, closed.signal, AbortSignal.timeout(maxStreamMs)])
  const content = Readable.from(chunks(open(ended), ended), { highWaterMark: 16 })
  // Also when nobody reads it at all, as in the answer to HEAD.
  content.once('close', () => closed.abort())
  return bytes(`${eventStreamType}; charset=utf-8`, content, {
    // Proxies that collect answers before they pass them on are told not to.
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
    // A client that went away ends the source by its signal; nobody is left to hear how that went.
    next.catch(() => {})
    void items.return?.(undefined)
  }
}

/** Resolves when a heartbeat is due, or with `end` when the stream is to end before. */
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

function format({ event, id, data }: StreamMessage): string {
  // JSON has no line breaks of its own, so that one line holds it.
  const lines = [`data: ${JSON.stringify(data)}`]
  if (event !== undefined) lines.unshift(`event: ${event}`)
  if (id !== undefined) lines.unshift(`id: ${id}`)
  return `${lines.join('\n')}\n\n`
}
