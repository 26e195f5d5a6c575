import { clockOf } from '../db/clock.ts'
import { databaseSlot, type Db, type Tx } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import type { AuditEntryId } from '../lib/ids.ts'
import { asking } from './asking.ts'
import { insertEntry, type AuditedKind } from './audit.store.ts'

/** What was done, or refused. */
export interface Act {
  /** `<thing>.<pastTense>`, as events are named. */
  readonly action: string
  /** `done` unless told. */
  readonly outcome?: 'done' | 'refused'
  /** Whose act it was, where that is not who asked: the account somebody signs in to, or the doer of an event. */
  readonly doerId?: number | undefined
  readonly about: { readonly kind: AuditedKind; readonly id: number | null; readonly name?: string }
  /** Facts that tell what exactly; never a secret, nor what people wrote. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

/** Longest name and list of details that is kept, in characters. */
const maxName = 255
const maxDetails = 4000

const switchedOff = databaseSlot<boolean>()

/** Says whether the acts of this database are written down; they are unless told otherwise. */
export const attachAudit = (db: Db, isOn: boolean): void => switchedOff.set(db, !isOn)

/** The channel that tells of new entries, by their ids. */
export const auditChannel = 'audit'

/** Writes an act down, in the transaction of the act: both are there, or neither. */
export async function recordAct(tx: Tx, act: Act): Promise<void> {
  if (switchedOff.of(tx)) return
  const asked = asking()
  const details = JSON.stringify(act.details ?? {})
  const id: AuditEntryId = await insertEntry(tx, {
    at_ms: clockOf(tx).nowMs(),
    action: act.action,
    outcome: act.outcome ?? 'done',
    actor_id: asked?.person?.id ?? act.doerId ?? null,
    acted_as_id: asked?.person && act.doerId !== undefined && act.doerId !== asked.person.id ? act.doerId : null,
    credential: asked?.credential ?? (asked ? '' : 'system'),
    address: asked?.address ?? '',
    operation: asked?.operation ?? '',
    request_id: asked?.requestId ?? '',
    object_kind: act.about.kind,
    object_id: act.about.id,
    object_name: (act.about.name ?? '').slice(0, maxName),
    details: details.length > maxDetails ? '{}' : details,
  })
  notify(tx, auditChannel, String(id))
}
