import { Readable } from 'node:stream'
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

/** Longest time of one stream, in milliseconds: credentials are looked at again when the client comes back. */
const maxStreamMs = 3_600_000

/** What the client waits before it comes back after the end of a stream, in milliseconds. */
const retryMs = 3000

/**
 * Answers with server-sent events: each item of the source is a message. The source is given a signal by which it ends:
 * when the client is gone, when the server stops, or after an hour; the stream then ends cleanly. Nothing is read from
 * the source while the client does not take what it was sent.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<StreamMessage>,
  signal: AbortSignal,
): StreamReply<200> {
  const closed = new AbortController()
  const source = open(AbortSignal.any([signal, closed.signal, AbortSignal.timeout(maxStreamMs)]))
  const content = Readable.from(chunks(source), { highWaterMark: 16 })
  // Also when nobody reads it at all, as in the answer to HEAD.
  content.once('close', () => closed.abort())
  return bytes('text/event-stream; charset=utf-8', content, {
    // Proxies that collect answers before they pass them on are told not to.
    headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}

async function* chunks(source: AsyncIterable<StreamMessage>): AsyncGenerator<string> {
  const items = source[Symbol.asyncIterator]()
  let next = items.next()
  try {
    yield `retry: ${retryMs}\n\n`
    for (;;) {
      const beat = heartbeat()
      const turn = await Promise.race([next, beat.due]).finally(beat.cancel)
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

function heartbeat(): { readonly due: Promise<'beat'>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined
  const due = new Promise<'beat'>((resolve) => {
    timer = setTimeout(() => resolve('beat'), heartbeatMs)
  })
  return { due, cancel: () => clearTimeout(timer) }
}

function format({ event, id, data }: StreamMessage): string {
  // JSON has no line breaks of its own, so that one line holds it.
  const lines = [`data: ${JSON.stringify(data)}`]
  if (event !== undefined) lines.unshift(`event: ${event}`)
  if (id !== undefined) lines.unshift(`id: ${id}`)
  return `${lines.join('\n')}\n\n`
}
