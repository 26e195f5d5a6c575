import { randomUUID } from 'node:crypto'
import { sql, type QueryExecutorProvider } from 'kysely'
import type pg from 'pg'
import { withinTime } from '../lib/within-time.ts'
import type { Broadcast, BroadcastReceiver } from './database.ts'
import { endConnection } from './postgres-deadline.ts'

/** PostgreSQL channel of all broadcasts. */
const postgresChannel = 'ingot'

/** Delays between attempts to connect, in milliseconds; the last one repeats. */
const reconnectWaitsMs = [100, 500, 2000, 5000]

/** How often the connection is asked whether it still delivers, and the longest wait for the answer, in milliseconds. */
const usualTimes = { askEveryMs: 10_000, answerWithinMs: 5000 }

type Message = readonly [origin: string, channel: string, payload: string]

/** Sends broadcasts in a transaction; PostgreSQL delivers them at the commit. */
export async function sendBroadcasts(
  tx: QueryExecutorProvider,
  origin: string,
  broadcasts: readonly Broadcast[],
): Promise<void> {
  const texts = broadcasts.map(({ channel, payload }) => JSON.stringify([origin, channel, payload] satisfies Message))
  const values = sql.join(texts.map((text) => sql`(${text})`))
  await sql`select pg_notify(${postgresChannel}, broadcast.text) from (values ${values}) as broadcast (text)`.execute(
    tx,
  )
}

export interface Listener {
  /** Identifies this process, which ignores its own messages. */
  readonly origin: string
  start(receiver: BroadcastReceiver): void
  close(): Promise<void>
}

/**
 * A dedicated listening connection, which reconnects after an error, and when it does not answer: nothing else tells a silent
 * connection from one without messages. It opens with `start`.
 * @param connect returns a connection that is not open
 */
export function createListener(
  connect: () => Promise<pg.Client>,
  { askEveryMs, answerWithinMs } = usualTimes,
): Listener {
  const origin = randomUUID()
  const closing = new AbortController()
  let client: pg.Client | undefined
  let running: Promise<void> | undefined

  async function listenOnce(receiver: BroadcastReceiver): Promise<void> {
    const connection = await connect()
    const ended = new AbortController()
    connection.on('end', () => ended.abort())
    // The error ends the connection, which reconnects; failing queries report the cause.
    connection.on('error', () => ended.abort())
    connection.on('notification', ({ payload = '' }) => {
      const [from, channel, text] = JSON.parse(payload) as Message
      if (from !== origin) receiver.heard({ channel, payload: text })
    })
    try {
      await connection.connect()
      client = connection
      if (closing.signal.aborted) return
      await connection.query(`listen ${postgresChannel}`)
      receiver.missed()
      for (;;) {
        await pause(askEveryMs, ended.signal)
        if (ended.signal.aborted) return
        await withinTime(connection.query('select'), answerWithinMs)
      }
    } finally {
      client = undefined
      // A connection with a query is ended without its answer.
      await endConnection(connection).catch(() => {})
    }
  }

  async function run(receiver: BroadcastReceiver): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const begunMs = performance.now()
      // Queries report an unreachable database; the listener only retries.
      await listenOnce(receiver).catch(() => {})
      if (performance.now() - begunMs > 60_000) failures = 0
      await pause(reconnectWaitsMs[Math.min(failures, reconnectWaitsMs.length - 1)] as number, closing.signal)
    }
  }

  return {
    origin,
    start(receiver) {
      running ??= run(receiver)
    },
    async close() {
      closing.abort()
      if (client) await endConnection(client).catch(() => {})
      await running
    },
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
