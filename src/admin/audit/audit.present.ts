import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { AuditEntry } from './audit.schemas.ts'

export const presentEntries = (rows: readonly AuditEntryRow[]): AuditEntry[] => rows.map(presentEntry)

export const presentEntry = (row: AuditEntryRow): AuditEntry => ({
  id: row.id,
  at: new Date(row.at_ms).toISOString(),
  action: row.action,
  outcome: row.outcome,
  actor: row.actor_id === null ? null : { id: row.actor_id, login: row.actor_name },
  acted_as_id: row.acted_as_id,
  credential: row.credential,
  address: row.address,
  operation: row.operation,
  request_id: row.request_id,
  object: { kind: row.object_kind, id: row.object_id, name: row.object_name },
  details: JSON.parse(row.details) as unknown,
})
