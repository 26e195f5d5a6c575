import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { noteDatabaseTime } from './clock.ts'
import { engineOf, type Db } from './database.ts'
import { databaseNowMs } from './process.store.ts'

/** Codes of temporary errors: nothing listens, unknown name, PostgreSQL is starting or has too many clients. */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '53300',
  '57P03',
])

/** Codes of connections that PostgreSQL ends: it stops, has crashed, broke the protocol, or the process stood still. */
const ended = new Set(['57P01', '57P02', '57P05', '25P03', '08000', '08003', '08006'])

/** Messages of the driver about connections, whose errors have no code. */
const driverMessages =
  /^(?:Connection terminated|timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** A difference of clocks that nothing but a wrong clock explains, in milliseconds. */
const tellingDifferenceMs = 10_000

/** Whether a query failed because PostgreSQL cannot be reached. A change may have been made nevertheless. */
export function isDatabaseAway(error: unknown): boolean {
  if (!Error.isError(error)) return false
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== 'string') return code === undefined && driverMessages.test(error.message)
  return ended.has(code) || (passing.has(code) && code !== 'ENOENT')
}

/** The database cannot be reached; `cause` is the last error. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable'
}

/**
 * Waits until PostgreSQL responds, and reads its clock. Returns at once for SQLite.
 * @throws DatabaseUnreachable after `retries` tries, or at once for a permanent error such as a wrong password; the reason
 * of the signal when it is aborted
 */
export async function reachDatabase(
  db: Db,
  options: { readonly retries: number; readonly backoffMs: number; readonly signal?: AbortSignal; readonly log: Log },
): Promise<void> {
  const { retries, backoffMs, signal, log } = options
  if (engineOf(db).kind === 'sqlite') return
  for (let left = retries - 1; ; left--) {
    try {
      const sentMs = performance.now()
      const read = sql<{ now: number }>`select ${databaseNowMs(db)} as now`.execute(engineOf(db).reader)
      const [row] = (await orAborted(read, signal)).rows
      warnOfClock(noteDatabaseTime(db, (row as { now: number }).now, sentMs), log)
      return
    } catch (error) {
      signal?.throwIfAborted()
      const { code } = error as { readonly code?: string }
      // Timeouts of the driver have no code.
      const isPassing = code === undefined || passing.has(code)
      const message = Error.isError(error) ? error.message || (code ?? '') : String(error)
      if (!isPassing || left <= 0) throw new DatabaseUnreachable(message, { cause: error })
      log('warn', 'the database cannot be reached; another try follows', {
        reason: message,
        triesLeft: left,
        backoffMs,
      })
      await sleep(backoffMs, undefined, signal ? { signal } : {})
    }
  }
}

/** The instance keeps the time of the database; logs, certificates and signatures of S3 requests need that of the machine. */
function warnOfClock(aheadMs: number, log: Log): void {
  if (Math.abs(aheadMs) < tellingDifferenceMs) return
  const seconds = Math.round(aheadMs / 1000)
  log('warn', 'the clock of this machine differs from that of the database; set both by a time server', {
    aheadSeconds: seconds,
  })
}

/** A connection attempt cannot be aborted, so an aborted caller does not wait for it. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    work.catch(() => {
      // The race reports the error, unless the caller has gone.
    })
  }
}
