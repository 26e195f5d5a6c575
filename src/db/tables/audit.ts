import type { Generated, Selectable } from 'kysely'
import type { AuditEntryId } from '../../lib/ids.ts'

/** Security-relevant actions. A trigger refuses updates. The server deletes rows after the retention period. */
export interface AuditEntryTable {
  id: Generated<AuditEntryId>
  at_ms: number
  action: string
  outcome: 'done' | 'refused'
  /** The account that acted. It has no foreign key: the entry outlives the account. */
  actor_id: number | null
  actor_name: string
  /** The account that an administrator impersonated. */
  acted_as_id: number | null
  credential: string
  address: string
  operation: string
  request_id: string
  object_kind: string
  object_id: number | null
  object_name: string
  /** JSON. */
  details: string
}

export interface AuditTables {
  audit_entry: AuditEntryTable
}

export type AuditEntryRow = Selectable<AuditEntryTable>
