import type { Selectable } from 'kysely'
import type { AuditEntryId } from '../../lib/ids.ts'
import { bigint, hidden, id, nullable, table, text, type TablesOf } from '../table.ts'

export const auditTables = {
  /** Security-relevant actions. A trigger refuses updates. The server deletes rows after the retention period. */
  audit_entry: table(
    {
      id: id<AuditEntryId>(),
      at_ms: bigint(),
      action: text(),
      outcome: text<'done' | 'refused'>(),
      /** The account that acted. It has no foreign key: the entry outlives the account. */
      actor_id: nullable(bigint()),
      actor_name: text(),
      /** The account that an administrator impersonated. */
      acted_as_id: nullable(bigint()),
      credential: text(),
      address: text(),
      operation: text(),
      request_id: text(),
      object_kind: text(),
      object_id: nullable(bigint()),
      object_name: text(),
      /** JSON. */
      details: text(),
      position: hidden(nullable(bigint())),
    },
    {
      indexes: {
        audit_entry_at: '(at_ms)',
        audit_entry_action: '(action, id)',
        audit_entry_actor: '(actor_name, id)',
        audit_entry_object: '(object_kind, object_id, id)',
        audit_entry_place: { sqlite: '', postgres: 'unique (position)' },
        audit_entry_unplaced: { sqlite: '', postgres: '(id) where position is null' },
      },
    },
  ),
}

export type AuditTables = TablesOf<typeof auditTables>
export type AuditEntryRow = Selectable<AuditTables['audit_entry']>
