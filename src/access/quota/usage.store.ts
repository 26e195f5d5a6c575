import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { NewUsageRow, UsageRow } from '../../db/tables/usage.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { QuotaUsage, UsageKind } from './quota.rules.ts'

/** Whom stored bytes are charged to: the owner of a repository, or an account for what belongs to no repository. */
export type Charged = { readonly repoId: RepoId } | { readonly ownerId: UserId }

/** What one repository stores of one kind. */
export interface RepoUsage {
  readonly repoId: RepoId
  readonly kind: UsageKind
  readonly sizeBytes: number
}

/** What an account stores, by kind; what it has nothing of is missing. */
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
 * Owners of repositories, which stay their owners and keep their visibility until the transaction ends: what is charged
 * while a repository changes hands would else stay with the old owner.
 */
export async function holdOwners(tx: Tx, repoIds: readonly RepoId[]): Promise<ReadonlyMap<RepoId, UserId>> {
  if (repoIds.length === 0) return new Map()
  const query = tx.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).orderBy('id')
  const rows = await query.forNoKeyUpdate().execute()
  return new Map(rows.map((row) => [row.id, row.owner_id]))
}

/** Owners of repositories, as they are. */
export async function loadOwners(db: Db | Tx, repoIds: readonly RepoId[]): Promise<ReadonlyMap<RepoId, UserId>> {
  if (repoIds.length === 0) return new Map()
  const rows = await db.selectFrom('repo').select(['id', 'owner_id']).where('id', 'in', repoIds).execute()
  return new Map(rows.map((row) => [row.id, row.owner_id]))
}

/** Adds to what is stored of a kind; a negative number takes away. A repository that is gone uses nothing. */
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

/** Rows of one statement: four columns each, and SQLite takes 32,766 parameters. */
const maxRowsPerStatement = 5000

/** From now on the repositories store of these kinds what is given, and of those that are not given nothing. */
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

/** What a repository stores is charged to its new owner; called where the repository changes hands, after its row. */
export const moveUsage = (tx: Tx, repoId: RepoId, ownerId: UserId) =>
  tx.updateTable('usage').set({ owner_id: ownerId }).where('repo_id', '=', repoId).execute()

/** The ledger's rows of repositories. */
export const listUsageOf = (db: Db | Tx, repoIds: readonly RepoId[]): Promise<UsageRow[]> =>
  repoIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('usage').selectAll().where('repo_id', 'in', repoIds).execute()
