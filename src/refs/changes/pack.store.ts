import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { textList, textListText } from '../../db/id-list.ts'
import type { Schema } from '../../db/schema.ts'
import type { NamedPack, StoredPack } from '../../git/git.ts'
import { pluck } from '../../lib/pluck.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import type { GitRepository } from '../git-repository.ts'

type Subject = Pick<GitRepository, 'repoId' | 'kind' | 'gitKey'>

/** A pack, and when its objects were found unreachable. */
type CruftOrNot = StoredPack & Pick<NamedPack, 'cruftUnix'>

const manifestOf =
  ({ repoId, kind, gitKey }: Subject) =>
  (row: ExpressionBuilder<Schema, 'git_pack'>) =>
    row.and([row('git_pack.repo_id', '=', repoId), row('kind', '=', kind), row('git_key', '=', gitKey)])

/** The manifest of a repository, without replaced packs. */
export async function listPacks(db: Db | Tx, repository: Subject): Promise<NamedPack[]> {
  const rows = await db
    .selectFrom('git_pack')
    .selectAll()
    .where(manifestOf(repository))
    .where('replaced_unix', 'is', null)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    blobKey: row.blob_key,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    indexSha256: row.index_sha256,
    cruftUnix: row.cruft_unix ?? undefined,
  }))
}

/** Those of some packs that the manifest names or named. */
export async function findPacks(
  db: Db | Tx,
  repository: Subject,
  names: readonly string[],
): Promise<Map<string, { readonly isReplaced: boolean }>> {
  const rows = await db
    .selectFrom('git_pack')
    .select(['name', 'replaced_unix'])
    .where(manifestOf(repository))
    .where('name', 'in', textList(db, textListText(names)))
    .execute()
  return new Map(rows.map(({ name, replaced_unix: replacedUnix }) => [name, { isReplaced: replacedUnix !== null }]))
}

/** The number of packs of code and wiki together, without replaced ones. */
export async function countPacks(db: Db, repoId: RepoId): Promise<number> {
  const { count } = await db
    .selectFrom('git_pack')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('repo_id', '=', repoId)
    .where('replaced_unix', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Names packs in the manifest. A concurrent change may have stored and named the same pack, whose blob then stays. */
export async function insertPacks(
  tx: Tx,
  { repoId, kind, gitKey }: Subject,
  packs: readonly CruftOrNot[],
): Promise<void> {
  if (packs.length === 0) return
  await tx
    .insertInto('git_pack')
    .values(
      packs.map(({ name, blobKey, sizeBytes, sha256, indexSha256, cruftUnix }) => ({
        repo_id: repoId,
        kind,
        git_key: gitKey,
        name,
        blob_key: blobKey,
        size_bytes: sizeBytes,
        sha256,
        index_sha256: indexSha256,
        cruft_unix: cruftUnix ?? null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'kind', 'git_key', 'name'])
        .doUpdateSet((set) => ({
          blob_key: set.ref('excluded.blob_key'),
          size_bytes: set.ref('excluded.size_bytes'),
          sha256: set.ref('excluded.sha256'),
          index_sha256: set.ref('excluded.index_sha256'),
          replaced_unix: null,
          cruft_unix: set.ref('excluded.cruft_unix'),
        }))
        .where('git_pack.replaced_unix', 'is not', null),
    )
    .execute()
}

/** Names the packs of a repository in the manifest of a new fork. Returns whether it has packs. */
export async function copyPacks(tx: Tx, from: Subject, to: Subject): Promise<boolean> {
  const copied = ['name', 'blob_key', 'size_bytes', 'sha256', 'index_sha256', 'cruft_unix'] as const
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('git_pack')
    .columns(['repo_id', 'kind', 'git_key', ...copied])
    .expression((insert) =>
      insert
        .selectFrom('git_pack')
        .select((row) => [
          row.val(to.repoId).as('repo_id'),
          row.val(to.kind).as('kind'),
          row.val(to.gitKey).as('git_key'),
          ...copied,
        ])
        .where(manifestOf(from))
        .where('replaced_unix', 'is', null),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/**
 * Replaces packs by others that have their objects. Returns false, without a change, when one of them is replaced already.
 * A pack that is among the others stays.
 */
export async function replacePacks(
  tx: Tx,
  repository: Subject,
  names: readonly string[],
  made: readonly CruftOrNot[],
  replacedUnix: Unix,
): Promise<boolean> {
  const present = await tx
    .selectFrom('git_pack')
    .select('name')
    .where(manifestOf(repository))
    .where('name', 'in', textList(tx, textListText(names)))
    .where('replaced_unix', 'is', null)
    .forUpdate()
    .execute()
  if (present.length < names.length) return false
  const madeNames = new Set(pluck(made, 'name'))
  const gone = names.filter((name) => !madeNames.has(name))
  await tx
    .updateTable('git_pack')
    .set({ replaced_unix: replacedUnix })
    .where(manifestOf(repository))
    .where('name', 'in', textList(tx, textListText(gone)))
    .execute()
  await insertPacks(tx, repository, made)
  const cruft = pluck(
    made.filter(({ cruftUnix }) => cruftUnix !== undefined),
    'name',
  )
  await tx
    .updateTable('git_pack')
    .set({ cruft_unix: replacedUnix })
    .where(manifestOf(repository))
    .where('name', 'in', textList(tx, textListText(cruft)))
    .execute()
  return true
}

/** Replaces all packs of a repository that has another key from now on. */
export const replaceAllPacks = (tx: Tx, repository: Subject, replacedUnix: Unix) =>
  tx.updateTable('git_pack').set({ replaced_unix: replacedUnix }).where(manifestOf(repository)).execute()

/** Deletes the rows of a repository's packs with other names. */
export const deletePacksExcept = (tx: Tx, repository: Subject, names: readonly string[]) =>
  tx
    .deleteFrom('git_pack')
    .where(manifestOf(repository))
    .where('name', 'not in', textList(tx, textListText(names)))
    .execute()

/** Deletes the whole manifest: the repositories on the disk are durable. */
export const deleteAllPacks = (tx: Tx) => tx.deleteFrom('git_pack').execute()

/** Deletes rows of packs that were replaced before a time. */
export const deleteReplacedPacks = (tx: Tx, beforeUnix: Unix) =>
  tx.deleteFrom('git_pack').where('replaced_unix', '<', beforeUnix).execute()

/** The given blobs that a manifest names, of replaced packs only those that were replaced since a time. */
export const listNamedBlobs = (db: Db, blobKeys: readonly string[], replacedSinceUnix: Unix) =>
  db
    .selectFrom('git_pack')
    .select('blob_key')
    .distinct()
    .where('blob_key', 'in', textList(db, textListText(blobKeys)))
    .where((row) => row.or([row('replaced_unix', 'is', null), row('replaced_unix', '>=', replacedSinceUnix)]))
    .execute()
