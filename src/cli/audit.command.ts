import { Command } from 'commander'
import { presentEntry } from '../admin/audit/audit.present.ts'
import type { Services } from '../access/context.ts'
import { fitsFilter } from '../admin/audit/audit.rules.ts'
import { auditFilter, followEntries, getEntries, type AuditQuery } from '../admin/audit/audit.service.ts'
import type { AuditEntryRow } from '../db/tables/audit.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { printable, type Terminal } from './terminal.ts'

interface AuditOptions extends InstanceOptions, AuditQuery {
  readonly limit: string
  readonly json?: boolean
  readonly follow?: boolean
}

export const auditCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('audit'))
    .description('print the audit log, newest first')
    .option('--limit <count>', 'entries to print', '100')
    .option('--action <name>', 'only this action, such as token.created; token.* matches a prefix')
    .option('--outcome <word>', 'only this outcome: done or refused')
    .option('--actor <login>', 'only actions of this account')
    .option('--address <address>', 'only requests from this address')
    .option('--since <time>', 'only entries from this time on, such as 2026-01-31T12:00:00Z')
    .option('--until <time>', 'only entries before this time')
    .option('--follow', 'print the newest entry last, then each new entry until the command is stopped')
    .option('--json', 'print one JSON object per line')
    .action((options: AuditOptions) => print(terminal, options))

/** Number of entries read and printed at once. */
const batch = 1000

async function print(terminal: Terminal, options: AuditOptions): Promise<void> {
  const { limit, json, follow, config, data, ...filter } = options
  let left = Number(limit)
  if (!Number.isInteger(left) || left < 1) {
    throw new CommandFailure(`--limit ${limit}: must be a whole number of at least 1`)
  }
  const show = (rows: readonly AuditEntryRow[]): void =>
    terminal.out(rows.map((row) => `${json ? JSON.stringify(presentEntry(row)) : asLine(row)}\n`).join(''))
  await withInstance(
    { ...(config === undefined ? {} : { config }), ...(data === undefined ? {} : { data }) },
    async (ctx) => {
      if (follow) return followLog(terminal, ctx, filter, Math.min(left, batch), show)
      let before: number | undefined
      while (left > 0) {
        const rows = await getEntries(ctx, filter, { before, limit: Math.min(batch, left) })
        show(rows)
        if (rows.length < Math.min(batch, left)) return
        left -= rows.length
        before = rows.at(-1)?.id
      }
    },
  )
}

/** Time between two reads of the log, in milliseconds; another process may write it. */
const lookEveryMs = 1000

async function followLog(
  terminal: Terminal,
  ctx: Services,
  query: AuditQuery,
  count: number,
  show: (rows: readonly AuditEntryRow[]) => void,
): Promise<void> {
  const filter = auditFilter(query)
  const stop = new AbortController()
  void terminal.stopSignal().then(() => stop.abort())
  const [newest] = await getEntries(ctx, {}, { limit: 1 })
  const before = newest && newest.id + 1
  const known = newest ? await getEntries(ctx, query, { before, limit: count }) : []
  show(known.toReversed())
  // Following starts at an id, so it may return entries that are already printed.
  const shown = new Set(known.map(({ id }) => id))
  for await (const row of followEntries(ctx, newest?.id ?? 0, stop.signal, lookEveryMs)) {
    if (fitsFilter(row, filter) && !shown.has(row.id)) show([row])
  }
}

const asLine = (row: AuditEntryRow): string =>
  [
    new Date(row.at_ms).toISOString(),
    row.outcome,
    row.action,
    row.actor_name === '' ? '-' : row.actor_name,
    row.credential === '' ? '-' : row.credential,
    row.address === '' ? '-' : row.address,
    `${row.object_kind} ${row.object_name === '' ? (row.object_id ?? '') : row.object_name}`,
    row.details === '{}' ? '' : row.details,
  ]
    .map(printable)
    .join('\t')
