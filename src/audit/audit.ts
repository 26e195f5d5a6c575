import { clockOf } from '../db/clock.ts'
import { databaseSlot, type Db, type Tx } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import type { AuditEntryId } from '../lib/ids.ts'
import { requestOrigin } from './request-origin.ts'
import { insertEntry, type AuditedKind } from './audit.store.ts'
import type { AuditedAction } from './audited-actions.ts'

/** An act, done or refused. */
export interface Act {
  readonly action: AuditedAction
  /** The default is `done`. */
  readonly outcome?: 'done' | 'refused'
  /** The actor, if it differs from the origin: the account that signs in, or the doer of an event. */
  readonly doerId?: number | undefined
  readonly about: { readonly kind: AuditedKind; readonly id: number | null; readonly name?: string }
  /** Details; never secrets or texts of users. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** Maximum lengths of a name and of the details, in characters. */
const maxName = 255
const maxDetails = 4000

const switchedOff = databaseSlot<boolean>()

/** Switches the audit log of a database on or off; the default is on. */
export const attachAudit = (db: Db, isOn: boolean): void => switchedOff.set(db, !isOn)

/** Channel that announces the ids of new entries. */
export const auditChannel = 'audit'

/** Inserts an audit entry in the transaction of the act. */
export async function recordAct(tx: Tx, act: Act): Promise<void> {
  if (switchedOff.of(tx)) return
  const request = requestOrigin()
  const details = JSON.stringify(act.details ?? {})
  const id: AuditEntryId = await insertEntry(tx, {
    at_ms: clockOf(tx).nowMs(),
    action: act.action,
    outcome: act.outcome ?? 'done',
    actor_id: request?.person?.id ?? act.doerId ?? null,
    acted_as_id: request?.person && act.doerId !== undefined && act.doerId !== request.person.id ? act.doerId : null,
    credential: request?.credential ?? (request ? '' : 'system'),
    address: request?.address ?? '',
    operation: request?.operation ?? '',
    request_id: request?.requestId ?? '',
    object_kind: act.about.kind,
    object_id: act.about.id,
    object_name: (act.about.name ?? '').slice(0, maxName),
    details: details.length > maxDetails ? '{}' : details,
  })
  notify(tx, auditChannel, String(id))
}
