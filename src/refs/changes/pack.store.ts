import type { Db, Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import type { NamedPack, StoredPack } from '../../git/git.ts'
import type { RepoId } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'

type Subject = Pick<GitRepository, 'repoId' | 'kind'>

/** The manifest of a repository, with replaced packs. */
export async function listPacks(db: Db | Tx, { repoId, kind }: Subject): Promise<NamedPack[]> {
  const rows = await db
    .selectFrom('git_pack')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    blobKey: row.blob_key,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    indexSha256: row.index_sha256,
    isReplaced: row.replaced_unix !== null,
  }))
}

/** Names of the packs, with the replaced ones. */
export const listPackNames = async (db: Db | Tx, { repoId, kind }: Subject): Promise<string[]> =>
  pluck(
    await db.selectFrom('git_pack').select('name').where('repo_id', '=', repoId).where('kind', '=', kind).execute(),
    'name',
  )

/** Names packs in the manifest. A concurrent change may have stored and named the same pack, whose blob then stays. */
export async function insertPacks(tx: Tx, { repoId, kind }: Subject, packs: readonly StoredPack[]): Promise<void> {
  if (packs.length === 0) return
  await tx
    .insertInto('git_pack')
    .values(
      packs.map(({ name, blobKey, sizeBytes, sha256, indexSha256 }) => ({
        repo_id: repoId,
        kind,
        name,
        blob_key: blobKey,
        size_bytes: sizeBytes,
        sha256,
        index_sha256: indexSha256,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'kind', 'name'])
        .doUpdateSet((set) => ({
          blob_key: set.ref('excluded.blob_key'),
          size_bytes: set.ref('excluded.size_bytes'),
          sha256: set.ref('excluded.sha256'),
          index_sha256: set.ref('excluded.index_sha256'),
          replaced_unix: null,
        }))
        .where('git_pack.replaced_unix', 'is not', null),
    )
    .execute()
}

/** Names the packs of a repository's code in the manifest of a new fork. Returns whether it has packs. */
export async function copyPacks(tx: Tx, from: RepoId, to: RepoId): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('git_pack')
    .columns(['repo_id', 'kind', 'name', 'blob_key', 'size_bytes', 'sha256', 'index_sha256'])
    .expression((insert) =>
      insert
        .selectFrom('git_pack')
        .select((row) => [
          row.val(to).as('repo_id'),
          'kind',
          'name',
          'blob_key',
          'size_bytes',
          'sha256',
          'index_sha256',
        ])
        .where('repo_id', '=', from)
        .where('kind', '=', 'code')
        .where('replaced_unix', 'is', null),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Replaces packs by one that has their objects. Returns false, without a change, when one of them is replaced already. */
export async function replacePacks(
  tx: Tx,
  { repoId, kind }: Subject,
  names: readonly string[],
  made: StoredPack,
  replacedUnix: Unix,
): Promise<boolean> {
  const present = await tx
    .selectFrom('git_pack')
    .select('name')
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('name', 'in', names)
    .where('replaced_unix', 'is', null)
    .forUpdate()
    .execute()
  if (present.length < names.length) return false
  await insertPacks(tx, { repoId, kind }, [made])
  await tx
    .updateTable('git_pack')
    .set({ replaced_unix: replacedUnix })
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('name', 'in', names)
    .execute()
  return true
}

/** Deletes the rows of a repository's packs with other names. */
export const deletePacksExcept = (tx: Tx, { repoId, kind }: Subject, names: readonly string[]) =>
  tx
    .deleteFrom('git_pack')
    .where('repo_id', '=', repoId)
    .where('kind', '=', kind)
    .where('name', 'not in', textList(tx, textListText(names)))
    .execute()

/** Deletes the whole manifest: the repositories on the disk are durable. */
export const deleteAllPacks = (tx: Tx) => tx.deleteFrom('git_pack').execute()

/** Deletes rows of packs that were replaced before a time. */
export const deleteReplacedPacks = (tx: Tx, beforeUnix: Unix) =>
  tx.deleteFrom('git_pack').where('replaced_unix', '<', beforeUnix).execute()

/** The given blobs that a manifest names. */
export const listNamedBlobs = (db: Db, blobKeys: readonly string[]) =>
  db
    .selectFrom('git_pack')
    .select('blob_key')
    .distinct()
    .where('blob_key', 'in', textList(db, textListText(blobKeys)))
    .execute()
