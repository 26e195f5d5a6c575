import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { clearOldEntries } from './audit.service.ts'

/** Deletes entries of the audit log that are older than `[ingot].AUDIT_RETENTION`. */
export const clearAuditLog: Schedule<Ctx> = schedule({
  name: 'clear_audit_log',
  when: '@every 24h',
  run: async (ctx: Ctx, run) => clearOldEntries(ctx, run),
})
