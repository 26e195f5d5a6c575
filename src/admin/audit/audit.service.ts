import type { Ctx, Services } from '../../access/context.ts'
import { auditChannel } from '../../audit/audit.ts'
import {
  deleteOldEntries,
  findLastEntry,
  listEntries,
  listEntriesAfter,
  positionSomeEntries,
  type AuditFilter,
  type AuditPosition,
} from '../../audit/audit.store.ts'
import { transaction, type Db } from '../../db/database.ts'
import { listen } from '../../db/notify.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { JobRun } from '../../jobs/job.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { AuditEntryId } from '../../lib/ids.ts'

/** A query of the log in external form. */
export interface AuditQuery extends Omit<AuditFilter, 'outcome' | 'sinceMs' | 'beforeMs'> {
  readonly outcome?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Returns entries, newest first, optionally older than an id. Throws `BadRequest` for a malformed query. */
export function getEntries(
  { db }: Pick<Services, 'db'>,
  query: AuditQuery,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<AuditEntryRow[]> {
  return listEntries(db, auditFilter(query), { before: page.before as AuditEntryId | undefined, limit: page.limit })
}

/** Parses a query of the log. Throws `BadRequest` for a malformed one. */
export function auditFilter({ outcome, since, until, ...filter }: AuditQuery): AuditFilter {
  if (outcome !== undefined && outcome !== 'done' && outcome !== 'refused') {
    throw new BadRequest('outcome: must be done or refused', 'audit_outcome_invalid')
  }
  return { ...filter, outcome, sinceMs: momentOf('since', since), beforeMs: momentOf('until', until) }
}

function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new BadRequest(`${name}: must be a time such as 2026-01-31T12:00:00Z`, 'time_invalid')
  return ms
}

/** Number of entries per read. */
const batchSize = 200

/** Returns the position of the newest entry. */
async function lastPosition(db: Db): Promise<AuditPosition> {
  const last = await findLastEntry(db)
  if (!last.hasUnplaced) return last.position
  while (!(await transaction(db, positionSomeEntries)));
  return (await findLastEntry(db)).position
}

/**
 * Yields the entries after a position, then each new entry of any process, in commit order, until the signal.
 * @param pollMs time between reads without a notification; writes of another process to SQLite send none
 */
export async function* followEntries(
  { db }: Pick<Ctx, 'db'>,
  after: number | undefined,
  signal: AbortSignal,
  pollMs?: number,
): AsyncGenerator<AuditEntryRow & { readonly position: AuditPosition }> {
  let isNotified = false
  let wake = (): void => undefined
  // A notification only wakes the reader, so nothing is queued for a slow client.
  const notify = (): void => {
    isNotified = true
    wake()
  }
  const unlisten = listen(db, auditChannel, { heard: notify, missed: notify })
  signal.addEventListener('abort', notify)
  try {
    let last = (after as AuditPosition | undefined) ?? (await lastPosition(db))
    while (!signal.aborted) {
      isNotified = false
      const end = await lastPosition(db)
      const rows = end > last ? await listEntriesAfter(db, last, batchSize) : []
      for (const row of rows) {
        last = row.position
        yield row
      }
      if (rows.length > 0 || isNotified || signal.aborted) continue
      await new Promise<void>((resolve) => {
        const timer = pollMs === undefined ? undefined : setTimeout(resolve, pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    signal.removeEventListener('abort', notify)
    unlisten()
  }
}

/** Number of entries deleted per transaction. */
const stepSize = 500

/** Deletes expired entries in batches. */
export async function clearOldEntries(ctx: Ctx, run: Pick<JobRun, 'signal'>): Promise<void> {
  const keepMs = ctx.config.ingot.auditRetention
  if (keepMs === 0) return
  const beforeMs = ctx.clock.nowMs() - keepMs
  for (let count = stepSize; count === stepSize;) {
    run.signal.throwIfAborted()
    count = await transaction(ctx.db, (tx) => deleteOldEntries(tx, beforeMs, stepSize))
  }
}
