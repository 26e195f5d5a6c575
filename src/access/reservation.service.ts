import type { Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Ctx } from './context.ts'
import type { QuotaSubject, UsageKind } from './quota.rules.ts'
import { refuseOverQuota } from './quota.service.ts'
import { addToUsage, type Charged } from './usage.store.ts'

/** Bytes that are about to be stored, and whom they are charged to. */
export interface Reservation {
  readonly owner: Pick<UserRow, 'id' | 'name'>
  readonly charged: Charged
  readonly kind: UsageKind
  readonly subject: QuotaSubject
  readonly sizeBytes: number
}

/**
 * Charges bytes before they arrive, so that parallel uploads count each other. Throws `OverQuota` when the owner is over quota
 * already, without these bytes; the transaction is given up then.
 */
export async function reserveUsage({ config }: Pick<Ctx, 'config'>, tx: Tx, reservation: Reservation): Promise<void> {
  const { owner, charged, kind, subject, sizeBytes } = reservation
  await addToUsage(tx, charged, kind, sizeBytes)
  await refuseOverQuota({ config, db: tx }, owner, subject, { [kind]: -sizeBytes })
}
