import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { takeNamedLocks } from '../../db/portable.ts'
import type { NewUsageRow, UsageRow } from '../../db/tables/usage.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { QuotaUsage, UsageKind } from './quota.rules.ts'

/** The charged owner: that of a repository, or an account for bytes outside repositories. */
export type Charged = { readonly repoId: RepoId } | { readonly ownerId: UserId }

/** The usage of one repository and kind. */
export interface RepoUsage {
  readonly repoId: RepoId
  readonly kind: UsageKind
  readonly sizeBytes: number
}

/** The advisory locks of the usage of accounts. */
const usageLocks = 1_774_614

/**
 * Keeps other transactions that lock the usage of the account waiting until this one ends. The row of the account stays free,
 * because sign-ins and counters change it.
 */
export const lockUsage = (tx: Tx, ownerId: UserId): Promise<void> => takeNamedLocks(tx, usageLocks, [String(ownerId)])

/** Returns the usage of an account by kind. Kinds without bytes are absent. */
export async function loadUsage(db: Db | Tx, ownerId: UserId): Promise<QuotaUsage> {
  const rows = await db
    .selectFrom('usage')
    .select((select) => ['kind', select.fn.sum<number | string>('size_bytes').as('bytes')])
    .where('owner_id', '=', ownerId)
    .groupBy('kind')
    .execute()
  return Object.fromEntries(rows.map(({ kind, bytes }) => [kind, Number(bytes)]))
}

/**
 * Returns the owners of repositories and locks the repositories against transfers and changes of visibility until
 * the transaction ends. Without the lock, bytes charged during a transfer would stay with the old owner.
 */
export async function holdOwners(tx: Tx, repoIds: readonly RepoId[]): Promise<ReadonlyMap<RepoId, UserId>> {
  if (repoIds.length === 0) return new Map()
  const query = tx.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).orderBy('id')
  const rows = await query.forNoKeyUpdate().execute()
  return new Map(rows.map((row) => [row.id, row.owner_id]))
}

/** Returns the owners of repositories. */
export async function loadOwners(db: Db | Tx, repoIds: readonly RepoId[]): Promise<ReadonlyMap<RepoId, UserId>> {
  if (repoIds.length === 0) return new Map()
  const rows = await db.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).execute()
  return new Map(rows.map((row) => [row.id, row.owner_id]))
}

/** Adds bytes to the usage of a kind; a negative number subtracts. A deleted repository is ignored. */
export async function addToUsage(tx: Tx, charged: Charged, kind: UsageKind, differenceBytes: number): Promise<void> {
  if (differenceBytes === 0) return
  const repoId = 'repoId' in charged ? charged.repoId : null
  const ownerId = 'repoId' in charged ? (await holdOwners(tx, [charged.repoId])).get(charged.repoId) : charged.ownerId
  if (ownerId === undefined) return
  const row: NewUsageRow = { owner_id: ownerId, repo_id: repoId, kind, size_bytes: differenceBytes }
  await tx
    .insertInto('usage')
    .values(row)
    .onConflict((conflict) =>
      (repoId === null
        ? conflict.columns(['owner_id', 'kind']).where('repo_id', 'is', null)
        : conflict.columns(['repo_id', 'kind']).where('repo_id', 'is not', null)
      ).doUpdateSet({ size_bytes: sql`usage.size_bytes + excluded.size_bytes` }),
    )
    .execute()
}

/** Rows in one statement: four columns each; SQLite accepts 32,766 parameters. */
const maxRowsPerStatement = 5000

/** Replaces the usage of repositories for some kinds. Absent ones become 0. */
export async function setUsage(
  tx: Tx,
  repoIds: readonly RepoId[],
  kinds: readonly UsageKind[],
  usage: readonly RepoUsage[],
): Promise<void> {
  if (repoIds.length === 0 || kinds.length === 0) return
  const owners = await holdOwners(tx, repoIds)
  await tx.deleteFrom('usage').where('repo_id', 'in', repoIds).where('kind', 'in', kinds).execute()
  const rows = usage.flatMap(({ repoId, kind, sizeBytes }): NewUsageRow[] => {
    const ownerId = owners.get(repoId)
    return ownerId === undefined || sizeBytes === 0
      ? []
      : [{ owner_id: ownerId, repo_id: repoId, kind, size_bytes: sizeBytes }]
  })
  for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
    await tx
      .insertInto('usage')
      .values(rows.slice(start, start + maxRowsPerStatement))
      .execute()
  }
}

/** Charges a repository's usage to its new owner. A transfer calls it after the repository's row changed. */
export const moveUsage = (tx: Tx, repoId: RepoId, ownerId: UserId) =>
  tx.updateTable('usage').set({ owner_id: ownerId }).where('repo_id', '=', repoId).execute()

/** The ledger's rows of repositories. */
export const listUsageOf = (db: Db | Tx, repoIds: readonly RepoId[]): Promise<UsageRow[]> =>
  repoIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('usage').selectAll().where('repo_id', 'in', repoIds).execute()
