import { sql } from 'kysely'
import type { RepoUsage } from '../../access/quota/usage.store.ts'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { ActionArtifactBlockRow, ActionArtifactRow, NewActionArtifactRow } from '../../db/tables/action-storage.ts'
import type { ArtifactId, RepoId, RunId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

export const insertArtifact = (tx: Tx, values: NewActionArtifactRow): Promise<ActionArtifactRow> =>
  tx.insertInto('action_artifact').values(values).returningAll().executeTakeFirstOrThrow()

export const findArtifact = (db: Db | Tx, id: ArtifactId): Promise<ActionArtifactRow | undefined> =>
  db.selectFrom('action_artifact').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the artifact and locks its row until the transaction ends. */
export const findArtifactForUpdate = (tx: Tx, id: ArtifactId): Promise<ActionArtifactRow | undefined> =>
  tx
    .updateTable('action_artifact')
    .set((set) => ({ name: set.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export interface ArtifactFilter {
  readonly isComplete: boolean
  readonly version?: number
  readonly name?: string | undefined
  readonly path?: string
  readonly id?: ArtifactId | undefined
  /** Also those whose content is deleted. */
  readonly withExpired?: boolean
}

/** Returns artifacts of a run, by default those that have not expired, the oldest first. */
export function listArtifacts(
  db: Db | Tx,
  runId: RunId,
  { isComplete, version, name, path, id, withExpired = false }: ArtifactFilter,
  limit: number,
): Promise<ActionArtifactRow[]> {
  let query = db
    .selectFrom('action_artifact')
    .selectAll()
    .where('run_id', '=', runId)
    .where('is_whole', '=', isComplete)
  if (!withExpired) query = query.where('is_expired', '=', sql.lit(false))
  if (version !== undefined) query = query.where('version', '=', version)
  if (name !== undefined) query = query.where('name', '=', name)
  if (path !== undefined) query = query.where('path', '=', path)
  if (id !== undefined) query = query.where('id', '=', id)
  return query.orderBy('id').limit(limit).execute()
}

export const countArtifacts = (tx: Tx, runId: RunId): Promise<number> =>
  countRows(tx.selectFrom('action_artifact').where('run_id', '=', runId))

export const updateArtifact = (tx: Tx, id: ArtifactId, change: Partial<NewActionArtifactRow>) =>
  tx.updateTable('action_artifact').set(change).where('id', '=', id).execute()

export const deleteArtifactRow = (tx: Tx, id: ArtifactId) =>
  tx.deleteFrom('action_artifact').where('id', '=', id).execute()

export const listBlocks = (db: Db | Tx, id: ArtifactId): Promise<ActionArtifactBlockRow[]> =>
  db
    .selectFrom('action_artifact_block')
    .selectAll()
    .where('artifact_id', '=', id)
    .orderBy('position')
    .orderBy('id')
    .execute()

/** Inserts a part, or replaces the part of the same key; the caller deletes the replaced blob. */
export const upsertBlock = (tx: Tx, block: Omit<ActionArtifactBlockRow, 'id'>) =>
  tx
    .insertInto('action_artifact_block')
    .values(block)
    .onConflict((conflict) =>
      conflict.columns(['artifact_id', 'block_key']).doUpdateSet((set) => ({
        position: set.ref('excluded.position'),
        size_bytes: set.ref('excluded.size_bytes'),
        blob_key: set.ref('excluded.blob_key'),
      })),
    )
    .execute()

export const updateBlockPosition = (tx: Tx, id: ArtifactId, blockKey: string, position: number) =>
  tx
    .updateTable('action_artifact_block')
    .set({ position })
    .where('artifact_id', '=', id)
    .where('block_key', '=', blockKey)
    .execute()

export const deleteBlocks = (tx: Tx, id: ArtifactId) =>
  tx.deleteFrom('action_artifact_block').where('artifact_id', '=', id).execute()

/** Returns expired artifacts, the earliest first. */
export const listExpired = (db: Db, atUnix: Unix, limit: number): Promise<ActionArtifactRow[]> =>
  db
    .selectFrom('action_artifact')
    .selectAll()
    .where('is_expired', '=', sql.lit(false))
    .where('expires_unix', '<=', atUnix)
    .orderBy('expires_unix')
    .limit(limit)
    .execute()

/** Returns unfinished artifacts that were created before a moment. */
export const listUnfinished = (db: Db, beforeUnix: Unix, limit: number): Promise<ActionArtifactRow[]> =>
  db
    .selectFrom('action_artifact')
    .selectAll()
    .where(sql<boolean>`not is_whole`)
    .where('created_unix', '<', beforeUnix)
    .orderBy('created_unix')
    .limit(limit)
    .execute()

/** Returns the bytes of artifacts and caches by repository, with the reservations of unfinished uploads. */
export async function sumArtifacts(db: Db | Tx, repoIds: readonly RepoId[]): Promise<RepoUsage[]> {
  if (repoIds.length === 0) return []
  const artifacts = db
    .selectFrom('action_artifact')
    .select(['repo_id', sql<number>`case when is_whole then stored_bytes else reserved_bytes end`.as('bytes')])
    .where('repo_id', 'in', repoIds)
    .where('is_expired', '=', sql.lit(false))
  const caches = db
    .selectFrom('action_cache')
    .select(['repo_id', sql<number>`case when is_whole then size_bytes else reserved_bytes end`.as('bytes')])
    .where('repo_id', 'in', repoIds)
  const rows = await db
    .selectFrom(artifacts.unionAll(caches).as('kept'))
    .select((select) => ['repo_id', select.fn.sum<number | string>('bytes').as('bytes')])
    .groupBy('repo_id')
    .execute()
  return rows.map((row) => ({ repoId: row.repo_id, kind: 'artifacts', sizeBytes: Number(row.bytes) }))
}

/** Returns one page of the stored artifacts of an owner's repositories, the largest first, and their number. */
export async function pageOfOwnedArtifacts(
  db: Db,
  ownerId: UserId,
  page: Page,
): Promise<{ rows: { name: string; sizeBytes: number; webPath: string }[]; total: number }> {
  const kept = db
    .selectFrom('action_artifact')
    .innerJoin('repo', 'repo.id', 'action_artifact.repo_id')
    .where('repo.owner_id', '=', ownerId)
    .where('action_artifact.is_whole', '=', sql.lit(true))
    .where('action_artifact.is_expired', '=', sql.lit(false))
  const [rows, total] = await Promise.all([
    kept
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .innerJoin('action_run', 'action_run.id', 'action_artifact.run_id')
      .select([
        'action_artifact.name',
        'action_artifact.stored_bytes as sizeBytes',
        'user.name as ownerName',
        'repo.name as repoName',
        'action_run.number',
      ])
      .orderBy('action_artifact.stored_bytes', 'desc')
      .orderBy('action_artifact.id')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    countRows(kept),
  ])
  return {
    rows: rows.map(({ name, sizeBytes, ownerName, repoName, number }) => ({
      name,
      sizeBytes,
      webPath: `${ownerName}/${repoName}/actions/runs/${number}`,
    })),
    total,
  }
}
