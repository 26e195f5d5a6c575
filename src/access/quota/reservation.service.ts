import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Ctx } from '../context.ts'
import type { QuotaSubject, QuotaUsage, UsageKind } from './quota.rules.ts'
import { refuseOverQuota } from './quota.service.ts'
import { addToUsage, lockUsage, type Charged } from './usage.store.ts'

/** Bytes that an upload will store, and the charged account or repository. */
export interface Reservation {
  readonly owner: Pick<UserRow, 'id' | 'name'>
  readonly charged: Charged
  readonly kind: UsageKind
  readonly subject: QuotaSubject
  readonly sizeBytes: number
}

/**
 * Charges bytes before they arrive, so that parallel uploads count each other. Throws `OverQuota` and aborts the
 * transaction when the owner is over quota without these bytes.
 */
export async function reserveUsage(ctx: Pick<Ctx, 'config'>, tx: Tx, reservation: Reservation): Promise<void> {
  await addToUsage(tx, reservation.charged, reservation.kind, reservation.sizeBytes)
  await refuseOverQuotaBefore(ctx, tx, reservation)
}

/**
 * Throws `OverQuota` when the owner was over quota before the bytes of this transaction, which it has charged. Locks the
 * usage of the account until the transaction ends, so that each parallel upload counts those before it, also those to
 * other repositories.
 */
export async function refuseOverQuotaBefore(
  ctx: Pick<Ctx, 'config'>,
  tx: Tx,
  { owner, kind, subject, sizeBytes }: Omit<Reservation, 'charged'>,
): Promise<void> {
  if (sizeBytes > 0) await refuseOverQuotaWithout(ctx, tx, { owner, subject, added: { [kind]: sizeBytes } })
}

/** As `refuseOverQuotaBefore` for bytes of several kinds. */
export async function refuseOverQuotaWithout(
  { config }: Pick<Ctx, 'config'>,
  tx: Tx,
  { owner, subject, added }: Pick<Reservation, 'owner' | 'subject'> & { readonly added: QuotaUsage },
): Promise<void> {
  if (!config.quota.enabled) return
  await lockUsage(tx, owner.id)
  const without = Object.fromEntries(Object.entries(added).map(([kind, bytes]) => [kind, -bytes]))
  await refuseOverQuota({ config, db: tx }, owner, subject, without)
}

/** An unfinished upload in parts and its charged bytes. */
export interface UnfinishedUpload {
  readonly repoId: RepoId
  readonly kind: UsageKind
  readonly subject: QuotaSubject
  /** The charged bytes. */
  readonly reservedBytes: number
  /** Stores the charged bytes. */
  readonly setReserved: (tx: Tx, reservedBytes: number) => Promise<unknown>
}

/**
 * Charges a part of an upload before it arrives. The caller has locked the upload's row.
 * @param limits size of the part, and the largest size of the whole upload
 * @returns the largest size of the part in bytes
 * @throws OverQuota
 */
export async function reservePart(
  ctx: Pick<Ctx, 'config'>,
  tx: Tx,
  owner: Reservation['owner'],
  upload: UnfinishedUpload,
  limits: { readonly sizeBytes: number; readonly maxBytes: number },
): Promise<number> {
  const { repoId, kind, subject, reservedBytes } = upload
  const sizeBytes = Math.min(limits.sizeBytes, Math.max(0, limits.maxBytes - reservedBytes))
  await upload.setReserved(tx, reservedBytes + sizeBytes)
  await reserveUsage(ctx, tx, { owner, charged: { repoId }, kind, subject, sizeBytes })
  return sizeBytes
}

/** Changes the charged bytes of an unfinished upload. The caller has locked its row. */
export async function adjustReserved(tx: Tx, upload: UnfinishedUpload, differenceBytes: number): Promise<void> {
  await upload.setReserved(tx, upload.reservedBytes + differenceBytes)
  await addToUsage(tx, { repoId: upload.repoId }, upload.kind, differenceBytes)
}
