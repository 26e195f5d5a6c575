import type { Ctx, Services } from '../../access/context.ts'
import { auditChannel } from '../../audit/audit.ts'
import {
  deleteOldEntries,
  findLastEntry,
  listEntries,
  listEntriesAfter,
  placeSomeEntries,
  type AuditFilter,
  type AuditPosition,
} from '../../audit/audit.store.ts'
import { transaction, type Db } from '../../db/database.ts'
import { listen } from '../../db/notify.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { JobRun } from '../../jobs/job.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { AuditEntryId } from '../../lib/ids.ts'

/** What is asked of the log, as it comes from outside. */
export interface AuditQuery extends Omit<AuditFilter, 'outcome' | 'sinceMs' | 'beforeMs'> {
  readonly outcome?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Entries, newest first, older than one of them where one is named. What cannot be read is `BadRequest`. */
export function getEntries(
  { db }: Pick<Services, 'db'>,
  query: AuditQuery,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<AuditEntryRow[]> {
  return listEntries(db, auditFilter(query), { before: page.before as AuditEntryId | undefined, limit: page.limit })
}

/** What is asked of the log, taken apart. What cannot be read is `BadRequest`. */
export function auditFilter({ outcome, since, until, ...filter }: AuditQuery): AuditFilter {
  if (outcome !== undefined && outcome !== 'done' && outcome !== 'refused') {
    throw new BadRequest('outcome: done or refused', 'audit_outcome_invalid')
  }
  return { ...filter, outcome, sinceMs: momentOf('since', since), beforeMs: momentOf('until', until) }
}

function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new BadRequest(`${name}: a time as 2026-01-31T12:00:00Z`, 'time_invalid')
  return ms
}

/** Entries that are read at once. */
const batchSize = 200

/** The position of the newest entry: whoever begins here hears what comes from now on. */
async function lastPosition(db: Db): Promise<AuditPosition> {
  const last = await findLastEntry(db)
  if (!last.hasUnplaced) return last.position
  while (!(await transaction(db, placeSomeEntries)));
  return (await findLastEntry(db)).position
}

/**
 * Entries after a position, and then each as it comes about, in any process, in the order of their commits: who reads on
 * where they were misses none. It ends with the signal.
 * @param pollMs how often it looks without being told: another process tells nothing of what it writes to SQLite
 */
export async function* followEntries(
  { db }: Pick<Ctx, 'db'>,
  after: number | undefined,
  signal: AbortSignal,
  pollMs?: number,
): AsyncGenerator<AuditEntryRow & { readonly position: AuditPosition }> {
  let isTold = false
  let wake = (): void => undefined
  // A notification only wakes the reader, which reads the rows: nothing is queued for a slow client.
  const tell = (): void => {
    isTold = true
    wake()
  }
  const unlisten = listen(db, auditChannel, { heard: tell, missed: tell })
  signal.addEventListener('abort', tell)
  try {
    let last = (after as AuditPosition | undefined) ?? (await lastPosition(db))
    while (!signal.aborted) {
      isTold = false
      const end = await lastPosition(db)
      const rows = end > last ? await listEntriesAfter(db, last, batchSize) : []
      for (const row of rows) {
        last = row.position
        yield row
      }
      if (rows.length > 0 || isTold || signal.aborted) continue
      await new Promise<void>((resolve) => {
        const timer = pollMs === undefined ? undefined : setTimeout(resolve, pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    signal.removeEventListener('abort', tell)
    unlisten()
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
