import type { Ctx, Services } from '../../access/context.ts'
import { auditChannel } from '../../audit/audit.ts'
import {
  deleteOldEntries,
  listEntries,
  listEntriesAfter,
  listEntriesById,
  type AuditFilter,
} from '../../audit/audit.store.ts'
import { transaction } from '../../db/database.ts'
import { listen } from '../../db/notify.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { JobRun } from '../../jobs/job.ts'
import { BadRequest, Unavailable } from '../../lib/errors.ts'
import type { AuditEntryId } from '../../lib/ids.ts'

/** What is asked of the log, as it comes from outside. */
export interface AuditQuery extends Omit<AuditFilter, 'outcome' | 'sinceMs' | 'beforeMs'> {
  readonly outcome?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Entries, newest first, older than one of them where one is named. What can not be read is `BadRequest`. */
export function getEntries(
  { db }: Pick<Services, 'db'>,
  query: AuditQuery,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<AuditEntryRow[]> {
  const { outcome, since, until, ...filter } = query
  if (outcome !== undefined && outcome !== 'done' && outcome !== 'refused') {
    throw new BadRequest('outcome: done or refused', 'audit_outcome_invalid')
  }
  return listEntries(
    db,
    { ...filter, outcome, sinceMs: momentOf('since', since), beforeMs: momentOf('until', until) },
    { before: page.before as AuditEntryId | undefined, limit: page.limit },
  )
}

function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new BadRequest(`${name}: a time as 2026-01-31T12:00:00Z`, 'time_invalid')
  return ms
}

/** Streams of one process, and entries that wait for one of them; beyond that it ends, and its client comes back. */
const maxStreams = 16
const maxWaiting = 1000
/** Entries that are read at once. */
const batchSize = 200

let streams = 0

/**
 * Entries after one of them, and then each as it comes about, in any process. It ends with the signal, and when its client is
 * too slow. Throws Unavailable when there are too many.
 */
export function followEntries(
  { db }: Pick<Ctx, 'db'>,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<AuditEntryRow> {
  if (streams >= maxStreams) throw new Unavailable('too many follow the audit log', 'audit_streams_busy')
  return follow()

  async function* follow(): AsyncGenerator<AuditEntryRow> {
    streams += 1
    const waiting = new Set<AuditEntryId>()
    let last = after as AuditEntryId | undefined
    let isBehind = after !== undefined
    let wake = (): void => undefined
    const ended = (): void => wake()
    const unlisten = listen(db, auditChannel, {
      heard(payload) {
        // Who is that slow reads on from the rows.
        if (waiting.size < maxWaiting) waiting.add(Number(payload) as AuditEntryId)
        else isBehind = true
        wake()
      },
      missed() {
        isBehind = last !== undefined
        wake()
      },
    })
    signal.addEventListener('abort', ended)
    try {
      while (!signal.aborted) {
        const ids = [...waiting].slice(0, batchSize)
        for (const id of ids) waiting.delete(id)
        const rows =
          isBehind && last !== undefined
            ? await listEntriesAfter(db, last, batchSize)
            : ids.length > 0
              ? await listEntriesById(db, ids)
              : []
        if (rows.length < batchSize) isBehind = false
        for (const row of rows) {
          waiting.delete(row.id)
          last = Math.max(last ?? 0, row.id) as AuditEntryId
          yield row
        }
        if (rows.length === 0 && waiting.size === 0 && !isBehind && !signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      streams -= 1
      signal.removeEventListener('abort', ended)
      unlisten()
    }
  }
}

/** Entries that are deleted in one transaction. */
const stepSize = 500

/** Deletes entries whose time is over, a few at a time. */
export async function clearOldEntries(ctx: Ctx, run: Pick<JobRun, 'signal'>): Promise<void> {
  const keepMs = ctx.config.ingot.auditRetention
  if (keepMs === 0) return
  const beforeMs = ctx.clock.nowMs() - keepMs
  for (let count = stepSize; count === stepSize;) {
    run.signal.throwIfAborted()
    count = await transaction(ctx.db, (tx) => deleteOldEntries(tx, beforeMs, stepSize))
  }
}
