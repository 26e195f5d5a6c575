import type { Generated, Selectable } from 'kysely'
import type { AuditEntryId } from '../../lib/ids.ts'

/** Security-relevant acts. Rows are never changed (the database refuses it), and go when their time is over. */
export interface AuditEntryTable {
  id: Generated<AuditEntryId>
  at_ms: number
  action: string
  outcome: 'done' | 'refused'
  /** Who did it. No foreign key: what an account did outlives it. */
  actor_id: number | null
  actor_name: string
  /** The account that an administrator acted as. */
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
