import { sql } from 'kysely'
import { mayAccess } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type { LfsBlobRow, LfsObjectRow, NewLfsBlobRow } from '../../db/tables/lfs.ts'
import type { LfsBlobId, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** An object of a repository with the key of its content. */
export type StoredObject = Pick<LfsObjectRow, 'oid' | 'size_bytes' | 'blob_id'> & Pick<LfsBlobRow, 'blob_key'>

/** Returns the given objects that a repository has. */
export const listObjects = (db: Db | Tx, repoId: RepoId, oids: readonly string[]): Promise<StoredObject[]> =>
  oids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('lfs_object')
        .innerJoin('lfs_blob', 'lfs_blob.id', 'lfs_object.blob_id')
        .select(['lfs_object.oid', 'lfs_object.size_bytes', 'lfs_object.blob_id', 'lfs_blob.blob_key'])
        .where('lfs_object.repo_id', '=', repoId)
        .where('lfs_object.oid', 'in', oids)
        .execute()

/** Returns the given objects in repositories whose code the viewer may read. */
export const listReadableObjects = (db: Db, viewer: Viewer, oids: readonly string[]): Promise<StoredObject[]> =>
  oids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('lfs_blob')
        .select(['lfs_blob.oid', 'lfs_blob.size_bytes', 'lfs_blob.id as blob_id', 'lfs_blob.blob_key'])
        .where('lfs_blob.oid', 'in', oids)
        .where((where) =>
          where.exists(
            where
              .selectFrom('lfs_object')
              .innerJoin('repo', 'repo.id', 'lfs_object.repo_id')
              .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
              .select(sql.lit(1).as('one'))
              .whereRef('lfs_object.blob_id', '=', 'lfs_blob.id')
              .where(mayAccess(viewer, 'repo', { units: ['code'], mode: 1 })),
          ),
        )
        .execute()

/** Updates the time of last use of objects; returns the existing ones. */
export const touchObjects = async (
  tx: Tx,
  repoId: RepoId,
  oids: readonly string[],
  seenUnix: Unix,
): Promise<ReadonlySet<string>> => {
  if (oids.length === 0) return new Set()
  const rows = await tx
    .updateTable('lfs_object')
    .set({ seen_unix: seenUnix })
    .where('repo_id', '=', repoId)
    .where('oid', 'in', oids)
    .returning('oid')
    .execute()
  return new Set(rows.map((row) => row.oid))
}

export const findBlob = (db: Db | Tx, oid: string): Promise<LfsBlobRow | undefined> =>
  db.selectFrom('lfs_blob').selectAll().where('oid', '=', oid).executeTakeFirst()

/** Returns contents and locks them until the transaction ends. */
export async function holdBlobs(tx: Tx, oids: readonly string[]): Promise<LfsBlobRow[]> {
  if (oids.length === 0) return []
  const query = tx.selectFrom('lfs_blob').selectAll().where('oid', 'in', oids).orderBy('id')
  return query.forKeyShare().execute()
}

/** Inserts a content; returns undefined when it exists. */
export const insertBlob = (tx: Tx, values: NewLfsBlobRow): Promise<LfsBlobRow | undefined> =>
  tx
    .insertInto('lfs_blob')
    .values(values)
    .onConflict((conflict) => conflict.column('oid').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Replaces the key of a lost file; returns false when another upload did so first. */
export const replaceBlobKey = (tx: Tx, id: LfsBlobId, goneKey: string, newKey: string): Promise<boolean> =>
  changesRow(tx.updateTable('lfs_blob').set({ blob_key: newKey }).where('id', '=', id).where('blob_key', '=', goneKey))

/** Returns whether a row names a key of the store. */
export const isBlobKeyUsed = async (db: Db, key: string): Promise<boolean> =>
  (await listUsedBlobKeys(db, [key])).has(key)

/** Returns the given keys that rows name. */
export const listUsedBlobKeys = async (db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> => {
  if (keys.length === 0) return new Set()
  const rows = await db.selectFrom('lfs_blob').select('blob_key').where('blob_key', 'in', keys).execute()
  return new Set(rows.map((row) => row.blob_key))
}

/** Links contents to a repository; returns the added bytes. */
export async function insertObjects(
  tx: Tx,
  repoId: RepoId,
  blobs: readonly Pick<LfsBlobRow, 'id' | 'oid' | 'size_bytes'>[],
  createdUnix: Unix,
): Promise<number> {
  if (blobs.length === 0) return 0
  const rows = await tx
    .insertInto('lfs_object')
    .values(
      blobs.map((blob) => ({
        repo_id: repoId,
        blob_id: blob.id,
        oid: blob.oid,
        size_bytes: blob.size_bytes,
        created_unix: createdUnix,
        seen_unix: createdUnix,
      })),
    )
    .onConflict((conflict) => conflict.columns(['repo_id', 'oid']).doNothing())
    .returning('size_bytes')
    .execute()
  return rows.reduce((sum, row) => sum + row.size_bytes, 0)
}

/** Links all objects of one repository to another; returns the added bytes. */
export async function copyObjects(tx: Tx, from: RepoId, to: RepoId, seenUnix: Unix): Promise<number> {
  const query = tx.selectFrom('lfs_object').select('blob_id').where('repo_id', '=', from)
  // Locks the contents while the new rows are inserted.
  await tx.selectFrom('lfs_blob').select('id').where('id', 'in', query).orderBy('id').forKeyShare().execute()
  const rows = await tx
    .insertInto('lfs_object')
    .columns(['repo_id', 'blob_id', 'oid', 'size_bytes', 'created_unix', 'seen_unix'])
    .expression((expression) =>
      expression
        .selectFrom('lfs_object')
        .select((select) => [
          select.val(to).as('repo_id'),
          'blob_id',
          'oid',
          'size_bytes',
          select.val(seenUnix).as('created_unix'),
          select.val(seenUnix).as('seen_unix'),
        ])
        .where('repo_id', '=', from),
    )
    .onConflict((conflict) => conflict.columns(['repo_id', 'oid']).doNothing())
    .returning('size_bytes')
    .execute()
  return rows.reduce((sum, row) => sum + row.size_bytes, 0)
}

/** Changes the size of LFS objects in the row of a repository. */
export const addToLfsSize = (tx: Tx, repoId: RepoId, differenceBytes: number) =>
  tx
    .updateTable('repo')
    .set({ lfs_size_bytes: sql`lfs_size_bytes + ${differenceBytes}` })
    .where('id', '=', repoId)
    .execute()

/** Returns the bytes of objects by repository. */
export async function sumObjects(
  db: Db | Tx,
  repoIds: readonly RepoId[],
): Promise<{ readonly repoId: RepoId; readonly sizeBytes: number }[]> {
  if (repoIds.length === 0) return []
  const rows = await db
    .selectFrom('lfs_object')
    .select((select) => ['repo_id', select.fn.sum<number | string>('size_bytes').as('bytes')])
    .where('repo_id', 'in', repoIds)
    .groupBy('repo_id')
    .execute()
  return rows.map((row) => ({ repoId: row.repo_id, sizeBytes: Number(row.bytes) }))
}

/** Returns a page of the objects of a repository, the largest first. */
export const listLargestObjects = (
  db: Db,
  repoId: RepoId,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<LfsObjectRow[]> =>
  db
    .selectFrom('lfs_object')
    .selectAll()
    .where('repo_id', '=', repoId)
    .orderBy('size_bytes', 'desc')
    .orderBy(bytewise(db, 'oid'))
    .limit(limit)
    .offset(offset)
    .execute()

export const countObjects = (db: Db, repoId: RepoId): Promise<number> =>
  countRows(db.selectFrom('lfs_object').where('repo_id', '=', repoId))

/** Returns whether a repository has objects. */
export const hasObjects = (db: Db | Tx, repoId: RepoId): Promise<boolean> =>
  hasRow(db.selectFrom('lfs_object').where('repo_id', '=', repoId))
